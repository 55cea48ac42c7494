import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DomainEvents } from "../../../../src/actors/domain-events.ts";
import { MgrError } from "../../../../src/base/errors.ts";
import type { HostListener } from "../../../../src/contract/host-link.ts";
import { flightConfig } from "../../../../src/features/flight/config.ts";
import type { FlightPart, FlightSpec } from "../../../../src/features/flight/contract.ts";
import type { Merge } from "../../../../src/features/flight/manager/incident-merger.ts";
import { IncidentStore } from "../../../../src/features/flight/manager/incident-store.ts";
import { ManagerFlight } from "../../../../src/features/flight/manager/manager-flight.ts";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { FINAL_PAUSE_MS } from "../../../../src/features/host-clocks/manager/host-clock.ts";
import { ManagerHostClocks } from "../../../../src/features/host-clocks/manager/host-clocks.ts";
import { McapEncoder } from "../../../../src/features/recordings/samples/mcap/encoder.ts";
import { mergeMcap } from "../../../../src/features/recordings/samples/merge/merge.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import type { HostEntry } from "../../../../src/protocol/resources/resources.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const MS = 1_000_000n;

/** An MCAP file with one message every 100 ms in a range, times by the clock of the host. */
export function mcapOf(from: bigint, until: bigint, topic = "arm/state"): Buffer {
  const encoder = new McapEncoder();
  const pieces = [encoder.begin("test")];
  const channel = encoder.addChannel({ topic, encoding: "json", schema: null, metadata: {} });
  for (let time = from; time <= until; time += 100n * MS)
    encoder.addMessage({ channel, sequence: 0n, logTime: time, publishTime: time, data: Buffer.from(`{"t":"${time}"}`) });
  pieces.push(...encoder.end());
  return Buffer.concat(pieces);
}

/** A host whose clock is wrong by `offset`, with a ring that has everything. */
export class FakeFlightHost {
  readonly name: string;
  readonly offset: bigint;
  readonly parts = new Map<string, { part: FlightPart; bytes: Buffer }>();
  /** Parts whose files were deleted, and whose triggers may fire again. */
  readonly removed = new Map<string, FlightPart>();
  readonly requests: string[] = [];
  spec: FlightSpec | null = null;
  /** Whether a part that is asked for is complete at once. */
  isQuick = true;
  /** Refusals by request. */
  readonly refusals = new Map<string, MgrError>();
  /** Called before bytes are read; may cut the link. */
  onRead: ((from: number) => void) | null = null;
  pieceBytes = 256 * 1024;
  #rig: Rig;
  #listener: HostListener = {};
  #seq = 0;
  #fired = 0;
  isOpen = false;
  readonly session: object;

  constructor(rig: Rig, name: string, offset: bigint) {
    this.#rig = rig;
    this.name = name;
    this.offset = offset;
    const own = this;
    this.session = {
      get isOpen() {
        return own.isOpen;
      },
      session: "s",
      streamId: "life",
      command: async (send: (id: string) => Promise<unknown>) => {
        if (!own.isOpen) throw new MgrError("host_unavailable", `host ${name} is away`);
        return send("s");
      },
      link: {
        host: name,
        request: (request: string, fields: never) => own.#answer(request, fields),
        listen: (listener: HostListener) => own.#listen(listener),
      },
    };
  }

  /** Moves to another manager. */
  joins(rig: Rig): void {
    this.#rig = rig;
    this.isOpen = false;
  }

  /** Time by its clock. */
  get now(): bigint {
    return this.#rig.now() + this.offset;
  }

  /** Something fires at the host. Returns the id of the part. */
  fires(text: string, { before = 2_000n, after = 0n, trigger = "crash" } = {}): string {
    const id = `20260101-000000-${this.name}-${++this.#fired}`;
    const cause = { trigger, text, at: String(this.now) };
    this.#begin(id, cause, this.now - before * MS, this.now + after * MS);
    return id;
  }

  complete(id: string): void {
    const known = this.parts.get(id);
    if (known === undefined) return;
    const part: FlightPart = { ...known.part, state: "complete", size: known.bytes.length, messages: 1 };
    this.parts.set(id, { ...known, part });
    this.#report(id, part);
  }

  /** The trigger of a part whose file was deleted fires again. */
  firesAgain(id: string): void {
    const known = this.removed.get(id);
    if (known === undefined) throw new Error(`the file of ${id} was not deleted`);
    const part = { ...known, fired: known.fired + 1 };
    this.removed.set(id, part);
    this.#report(id, part);
  }

  #begin(incident: string, cause: FlightPart["cause"], from: bigint, until: bigint): void {
    const bytes = mcapOf(from, until, `topic/${this.name}`);
    const part: FlightPart = {
      incident,
      cause,
      fired: 1,
      state: "writing",
      problem: null,
      from: String(from),
      until: String(until),
      reaches: String(from),
      missing: [],
      messages: 0,
      size: 0,
    };
    this.parts.set(incident, { part, bytes });
    this.#report(incident, part);
    if (this.isQuick) this.complete(incident);
  }

  #report(incident: string, part: FlightPart | null): void {
    this.#seq++;
    if (this.isOpen) this.#listener.onNews?.flight_part?.({ seq: this.#seq, incident, part });
  }

  #listen(listener: HostListener): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = {};
    };
  }

  async #answer(name: string, fields: { incident: string; spec: FlightSpec; from: number & string; until: string; max: number }) {
    this.requests.push(name === "flight_keep" ? `keep ${fields.incident}` : name);
    const refusal = this.refusals.get(name);
    if (refusal !== undefined) throw refusal;
    switch (name) {
      case "flight_configure":
        this.spec = fields.spec;
        return {};
      case "flight_parts":
        return {
          data: Buffer.from(JSON.stringify([...[...this.parts.values()].map(({ part }) => part), ...this.removed.values()])),
          next: null,
          seq: this.#seq,
        };
      case "flight_keep":
        if (!this.parts.has(fields.incident)) this.#begin(fields.incident, null, BigInt(fields.from), BigInt(fields.until));
        return {};
      case "flight_read": {
        this.onRead?.(fields.from);
        if (!this.isOpen) throw new MgrError("host_unavailable", `host ${this.name} was lost`);
        const { bytes } = this.parts.get(fields.incident) ?? { bytes: Buffer.alloc(0) };
        const end = fields.from + Math.min(fields.max, this.pieceBytes);
        return { size: bytes.length, data: bytes.subarray(fields.from, end) };
      }
      case "flight_delete": {
        const known = this.parts.get(fields.incident)?.part;
        this.parts.delete(fields.incident);
        if (known === undefined) return {};
        const part: FlightPart | null = known.cause === null ? null : { ...known, state: "removed", messages: 0, size: 0 };
        if (part !== null) this.removed.set(fields.incident, part);
        this.#report(fields.incident, part);
        return {};
      }
      case "host_clock":
        return { time: String(this.now) };
      default:
        return {};
    }
  }
}

interface RigOptions {
  readonly flight?: Record<string, unknown> | "none";
  readonly dir?: string;
  readonly merge?: Merge;
}

/** Lets the pauses between the final measurements of a clock pass by themselves. */
class RigClock extends SimulatedClock {
  override setTimeout(callback: () => void, milliseconds: number): unknown {
    if (milliseconds !== FINAL_PAUSE_MS) return super.setTimeout(callback, milliseconds);
    queueMicrotask(callback);
    return null;
  }
}

/** A manager's flight recorder with scripted hosts and a real state folder. */
export class Rig {
  readonly clock = new RigClock();
  readonly dir: string;
  readonly events = new DomainEvents((error) => {
    throw error;
  });
  readonly log = new LogBook({ capacity: 1_000, now: () => this.clock.now() });
  readonly hosts = new Map<string, { controller: { session: object } }>();
  readonly removed: string[] = [];
  readonly flight: ManagerFlight;
  readonly #clocks: ManagerHostClocks;

  private constructor(dir: string, store: IncidentStore, incidents: Awaited<ReturnType<IncidentStore["load"]>>, options: RigOptions) {
    this.dir = dir;
    this.events.subscribe((event) => {
      if (event.type === "incident_remove") this.removed.push(event.id);
    });
    const table = Object.assign(this.hosts, { session: (name: string) => this.hosts.get(name)?.controller.session ?? null });
    const settings = flightConfig.file.flight.parse(options.flight ?? {});
    // Only these parts of the core are used.
    this.#clocks = new ManagerHostClocks({
      clock: this.clock,
      hosts: table as never,
      events: this.events,
      now: () => this.now(),
      localHost: "here",
    });
    this.flight = new ManagerFlight({
      clock: this.clock,
      hosts: table as never,
      clocks: this.#clocks,
      events: this.events,
      log: this.log,
      localHost: "here",
      settings: () => settings,
      store,
      incidents,
      merge: options.merge ?? mergeMcap,
      now: () => this.now(),
    });
  }

  static async open(options: RigOptions = {}): Promise<Rig> {
    const dir = options.dir ?? mkdtempSync(join(tmpdir(), "mgr-flight-"));
    const warn = (msg: string) => {
      throw new Error(msg);
    };
    const store = new IncidentStore(dir, warn);
    return new Rig(dir, store, await store.load(), options);
  }

  now(): bigint {
    return BigInt(Math.round(this.clock.now())) * MS;
  }

  host(name: string, offset = 0n): FakeFlightHost {
    const host = new FakeFlightHost(this, name, offset);
    this.adds(host);
    return host;
  }

  adds(host: FakeFlightHost): void {
    this.hosts.set(host.name, { controller: { session: host.session } });
  }

  async connect(host: FakeFlightHost): Promise<void> {
    host.isOpen = true;
    this.events.publish({ type: "host_upsert", host: { name: host.name, state: "ready" } as HostEntry });
    await this.clock.settle();
  }

  lose(host: FakeFlightHost): void {
    host.isOpen = false;
    this.events.publish({ type: "host_upsert", host: { name: host.name, state: "lost" } as HostEntry });
  }

  /** The only incident. */
  get incident(): Incident | undefined {
    const [first, ...more] = this.flight.list();
    if (more.length > 0) throw new Error(`there are ${more.length + 1} incidents`);
    return first;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flight.close();
    this.#clocks.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
