import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunReport } from "../../../../src/contract/run.ts";
import type { ChangedRun } from "../../../../src/daemon/host-feature.ts";
import type { TapListener, TappedMessage } from "../../../../src/features/data-plane/host/tap.ts";
import type { FlightPart, FlightPartEvent, FlightSpec, HostTrigger } from "../../../../src/features/flight/contract.ts";
import { FlightRecorder, type FlightRecorderOptions } from "../../../../src/features/flight/host/flight-recorder.ts";
import type { NetworkFigures } from "../../../../src/features/network-statistics/host/index.ts";
import { createFile } from "../../../../src/features/recordings/host/index.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { exec } from "../../../bus/handover/next-program.ts";
import { readIndexed } from "../../recordings/samples/mcap/indexed-reader.ts";

const NS_PER_MS = 1_000_000n;
const BEGIN = 1_767_225_600_000_000_000n;

export const SPEC: FlightSpec = {
  memory: 1024 * 1024,
  disk: 0,
  span_ms: 60_000,
  topics: ["*"],
  max_rate: null,
  terminals: ["*"],
  triggers: [],
};

export function trigger(when: HostTrigger["when"], rest: Partial<HostTrigger> = {}): HostTrigger {
  return { name: when.kind, before_ms: 10_000, after_ms: 1_000, quiet_ms: 60_000, when, ...rest };
}

/** A flight recorder that is fed by hand, on a simulated clock, in a folder of its own. */
export class FlightRig implements AsyncDisposable {
  readonly folder: string;
  readonly clock: SimulatedClock;
  readonly logged: string[] = [];
  readonly events: FlightPartEvent[] = [];
  readonly recorder: FlightRecorder;
  readonly ends = new Map<string, number>();
  readonly #taps = new Set<{ matches: (topic: string) => boolean; listener: TapListener }>();
  readonly #isOwner: boolean;
  readonly #opened: { close(): Promise<void> }[] = [];
  #measured: Parameters<FlightRecorderOptions["network"]["subscribe"]>[0] | null = null;
  #isKilled = false;

  constructor(options: Partial<FlightRecorderOptions> & { folder?: string; simulated?: SimulatedClock } = {}) {
    const { folder, simulated, ...rest } = options;
    this.#isOwner = folder === undefined;
    this.folder = folder ?? mkdtempSync(join(tmpdir(), "mgr-flight-"));
    this.clock = simulated ?? new SimulatedClock();
    this.recorder = new FlightRecorder({
      host: "rt1",
      stateDir: this.folder,
      tap: {
        add: (topics, listener) => {
          const tap = { matches: typeof topics === "string" ? (topic: string) => topic === topics : topics, listener };
          this.#taps.add(tap);
          return () => void this.#taps.delete(tap);
        },
      },
      network: {
        subscribe: (measured) => {
          this.#measured = measured;
          return () => {
            this.#measured = null;
          };
        },
      },
      clock: this.clock,
      now: () => this.now,
      pages: { of: (rows) => ({ data: Buffer.from(JSON.stringify([...rows])), next: null }) },
      rings: { find: (name) => ({ end: this.ends.get(name) ?? 0 }) as never },
      log: (level, msg) => this.logged.push(`${level}: ${msg}`),
      send: (event) => this.events.push(event),
      minFree: 0,
      open: async (path) => {
        const file = await createFile(path);
        this.#opened.push(file);
        return file;
      },
      ...rest,
    });
  }

  get now(): bigint {
    return BEGIN + BigInt(Math.round(this.clock.monotonic() * 1_000)) * 1_000n;
  }

  configure(spec: Partial<FlightSpec> = {}): void {
    this.recorder.configure({ session: "s", spec: { ...SPEC, ...spec } });
  }

  publish(topic: string, value: unknown, rest: Partial<TappedMessage> = {}): void {
    const payload = value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
    const message = { topic, definition: "", definitionName: "", encoding: "json", received: this.now, published: null, sequence: null };
    for (const { matches, listener } of [...this.#taps]) if (matches(topic)) listener({ ...message, payload, ...rest }, "");
  }

  /** Whether the network is measured. */
  get measuresNetwork(): boolean {
    return this.#measured !== null;
  }

  networkMeasured(figures: NetworkFigures): void {
    this.#measured?.(figures);
  }

  write(name: string, text: string): void {
    const bytes = Buffer.from(text);
    this.ends.set(name, (this.ends.get(name) ?? 0) + bytes.length);
    this.recorder.output(name, bytes);
  }

  run(kind: Parameters<FlightRecorder["runChanged"]>[0], name: string, exit: RunReport["exit"] = null): void {
    const report = {
      name,
      run_id: "1-1",
      pid: 7,
      ready: kind === "ready",
      stopping: false,
      extinct: kind === "extinct",
      exit,
      unhealthy: null,
      rows: 24,
      cols: 80,
    };
    this.recorder.runChanged(kind, { report, spec: {}, usage: null, dumpedCore: false } as unknown as ChangedRun);
  }

  crash(name: string): void {
    this.run("exited", name, { code: 3, signal: null, reason: null });
  }

  async keep(beforeMs: number, afterMs: number, incident = "20260101-000000-mgr-1"): Promise<string> {
    const [from, until] = [this.now - BigInt(beforeMs) * NS_PER_MS, this.now + BigInt(afterMs) * NS_PER_MS];
    await this.recorder.keep({ session: "s", incident, cause: null, from: String(from), until: String(until) });
    return incident;
  }

  /** The newest state of a part, as events tell it; undefined: there is none. */
  part(incident: string): FlightPart | undefined {
    return this.events.findLast((event) => event.incident === incident)?.part ?? undefined;
  }

  /** The incidents that this recorder has begun. */
  get incidents(): string[] {
    return [...new Set(this.events.map(({ incident }) => incident))];
  }

  /** Lets time pass until a part is not written any more. */
  async done(incident: string): Promise<FlightPart> {
    for (;;) {
      const part = this.part(incident);
      if (part !== undefined && part.state !== "writing") return part;
      // Work on files takes real time; of simulated time, little passes meanwhile, so that the ring keeps what it has.
      await this.clock.advance(10);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Reads a part as a manager does, and then its file by an independent reader. */
  async messages(incident: string) {
    const path = await this.fetch(incident);
    return (await readIndexed(path)).messages;
  }

  async fetch(incident: string): Promise<string> {
    const pieces: Uint8Array[] = [];
    for (let from = 0, size = 1; from < size; from += pieces.at(-1)?.length ?? 0) {
      const answer = await this.recorder.read({ session: "s", incident, from, max: 64 * 1024 });
      size = answer.size;
      pieces.push(answer.data);
    }
    const path = join(this.folder, `${incident}.copy`);
    writeFileSync(path, Buffer.concat(pieces));
    return path;
  }

  /** The recorder of the next daemon in the same folder. This one gets no chance to end, as with kill -9. */
  async killed(downMs: number): Promise<FlightRig> {
    await this.recorder.quiet();
    this.#isKilled = true;
    await this.clock.advance(downMs);
    return new FlightRig({ folder: this.folder, simulated: this.clock });
  }

  /** The recorder of the program that replaces this one. */
  async replaced(): Promise<FlightRig> {
    await this.recorder.quiet();
    this.#isKilled = true;
    return new FlightRig({ folder: this.folder, simulated: this.clock, taken: exec(this.recorder) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKilled) for (const file of this.#opened) await file.close().catch(() => undefined);
    else await this.recorder.close();
    if (this.#isOwner) rmSync(this.folder, { recursive: true, force: true });
  }
}
