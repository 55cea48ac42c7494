import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { HandedOver } from "../../../base/handed-over.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { HostEvent, RequestOf, ResponseOf } from "../../../contract/messages.ts";
import { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import { takenState } from "../../../daemon/handover/taken-state.ts";
import type { ChangedRun } from "../../../daemon/host-feature.ts";
import type { ListPages } from "../../../daemon/lists/list-pages.ts";
import type { RingStore } from "../../../daemon/output/ring-store.ts";
import { readJsonState } from "../../../files/json-state-file.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import type { Tap } from "../../data-plane/host/index.ts";
import type { Figures } from "../../load-history/series.ts";
import type { NetworkFigures, NetworkMeter } from "../../network-statistics/host/index.ts";
import { jsonEntry, logEntry, processEntry } from "../../recordings/host/index.ts";
import { type FlightPartEvent, type FlightSpec, flightSpec, MAX_SPAN_MS } from "../contract.ts";
import { machineLoadEntry, networkEntries, processLoadEntry } from "./figure-entries.ts";
import { partsState } from "./parts/part-state.ts";
import { Parts, type PartsOptions } from "./parts/parts.ts";
import { FlightRing } from "./ring/flight-ring.ts";
import { blockState } from "./ring/ring-state.ts";
import { RunStates } from "./run-states.ts";
import { TopicSource } from "./topic-source.ts";
import { IncidentStarter } from "./triggers/incident-starter.ts";
import { starterState } from "./triggers/starter-state.ts";
import { TriggerSet } from "./triggers/trigger-set.ts";

/** Folder within the daemon's state folder, and what is in it. */
const FOLDER = "flight";
const RING = "ring";
const PARTS = "parts";
const STATE_FILE = "flight.json";
/** Free space that is left to other programs, bytes. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** Length of the offset before the bytes of a terminal's message. */
const OFFSET_BYTES = 8;
/** Longest time for which a part waits. */
const MAX_AHEAD_NS = BigInt(MAX_SPAN_MS) * 1_000_000n;
const TERMINAL = { encoding: "raw", definition: "", definitionName: "" } as const;

const saved = z.object({ spec: flightSpec.nullable(), next: z.int().min(0) });
const recorderState = z.object({
  ring: z.object({ next: z.int().min(0), blocks: z.array(blockState) }),
  parts: partsState,
  starter: starterState,
});

export interface FlightRecorderOptions extends Pick<PartsOptions, "maxBytes" | "open"> {
  readonly host: string;
  /** State folder of the daemon. */
  readonly stateDir: string;
  /** Null: the host has no broker. */
  readonly tap: Pick<Tap, "add"> | null;
  /** Measures the network while it is subscribed to. */
  readonly network: Pick<NetworkMeter, "subscribe">;
  readonly clock: Clock;
  /** The wall clock, nanoseconds since 1970. */
  readonly now: () => bigint;
  readonly pages: Pick<ListPages, "of">;
  readonly rings: Pick<RingStore, "find">;
  readonly log: (level: "info" | "warning" | "error", msg: string, about?: readonly string[]) => void;
  readonly send: (event: FlightPartEvent) => void;
  /** What the recorder of the program that this one replaces has handed over. */
  readonly taken?: HandedOver | undefined;
  readonly minFree?: number | undefined;
}

/** The flight recorder of one host: its ring, the triggers that it judges, and the parts of incidents that it keeps. */
export class FlightRecorder {
  readonly #options: FlightRecorderOptions;
  readonly #folder: string;
  readonly #ring: FlightRing;
  readonly #parts: Parts;
  readonly #states = new RunStates();
  readonly #topics: TopicSource;
  readonly #triggers: TriggerSet;
  readonly #starter: IncidentStarter;
  #spec: FlightSpec | null = null;
  /** Whether something may have been recorded: until then no state needs its time. */
  #hasBeenOn = false;
  #next: number;
  #endTap: (() => void) | null = null;
  #endNetwork: (() => void) | null = null;
  /** Whether the output of a process is kept, by its name. */
  readonly #terminals = new Map<string, boolean>();

  constructor(options: FlightRecorderOptions) {
    const { host, stateDir, tap, clock, now, log, send, minFree = MIN_FREE_BYTES, taken, maxBytes, open } = options;
    this.#options = options;
    this.#folder = join(stateDir, FOLDER);
    this.#ring = new FlightRing({ clock, now, log, folder: join(this.#folder, RING), minFree });
    this.#topics = new TopicSource(this.#ring, clock);
    const warn = (msg: string) => log("warning", msg);
    const empty = { spec: null, next: 1 };
    const { spec, next } = readJsonState(this.#stateFile, {
      schema: saved,
      empty,
      lost: "the flight recorder waits for its configuration",
      warn,
    });
    this.#next = next;
    this.#starter = new IncidentStarter({
      host,
      clock,
      now,
      log,
      nextNumber: () => this.#nextNumber(),
      begin: (part) => this.#parts.begin(part),
      firedAgain: (incident) => this.#parts.firedAgain(incident),
      forgotten: (incident) => this.#parts.forget(incident),
    });
    this.#triggers = new TriggerSet({ clock, tap, log, fire: (trigger, text, process) => this.#starter.fire(trigger, text, process) });
    const state = takenState(taken, recorderState, log);
    if (state !== null && taken !== undefined) {
      const times = new KernelTimes(clock);
      this.#ring.adopt(state.ring, taken.bytes, times);
      this.#starter.adopt(state.starter, times);
    }
    // The parts of an earlier daemon are written from its ring.
    this.#apply(spec);
    const parts: PartsOptions = {
      host,
      folder: join(this.#folder, PARTS),
      ring: this.#ring,
      states: this.#states,
      clock,
      now,
      log,
      send,
      minFree,
      isCounting: (incident) => this.#starter.isCounting(incident),
      maxBytes,
      open,
    };
    this.#parts = new Parts(parts, state === null || taken === undefined ? undefined : { state: state.parts, handed: taken });
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#parts.seq;
  }

  configure({ spec }: RequestOf<"flight_configure">): Record<string, never> {
    if (isDeepStrictEqual(spec, this.#spec)) return {};
    this.#apply(spec);
    this.#save();
    return {};
  }

  async ring(): Promise<ResponseOf<"flight_ring">> {
    return { spec: this.#spec, ...(await this.#ring.report()) };
  }

  /** Rejects with `busy`, `conflict` or `bad_field`. */
  async keep({ incident, cause, from, until }: RequestOf<"flight_keep">): Promise<Record<string, never>> {
    await this.#parts.opened;
    if (this.#parts.has(incident)) return {};
    if (this.#spec === null || this.#spec.memory === 0)
      throw new MgrError("conflict", "the flight recorder of this host is off: set 'flight' in the configuration");
    if (BigInt(until) - this.#options.now() > MAX_AHEAD_NS)
      throw new MgrError("bad_field", `until: a part ends at most ${MAX_SPAN_MS / 1_000} s after now, by the clock of the host`);
    this.#parts.begin({ incident, cause, from, until });
    return {};
  }

  async parts(): Promise<ResponseOf<"flight_parts">> {
    await this.#parts.opened;
    return { ...this.#options.pages.of(this.#parts.list()), seq: this.#parts.seq };
  }

  read({ incident, from, max }: RequestOf<"flight_read">): Promise<ResponseOf<"flight_read">> {
    return this.#parts.read(incident, from, max);
  }

  async delete({ incident }: RequestOf<"flight_delete">): Promise<Record<string, never>> {
    await this.#parts.delete(incident);
    return {};
  }

  /** Adds entries of the manager: its log, calls of services, parameters, network figures. */
  note({ notes }: RequestOf<"flight_notes">): Record<string, never> {
    for (const { time, topic, value } of notes) this.#ring.put((topic === "mgr/log" ? logEntry : jsonEntry)(topic, BigInt(time), value));
    return {};
  }

  runChanged(kind: HostEvent["kind"], run: ChangedRun): void {
    const { report } = run;
    const now = this.#hasBeenOn ? this.#options.now() : 0n;
    this.#states.changed(now, report);
    // Before a trigger fires, so that an incident contains its own cause.
    if (this.#ring.isOn) this.#ring.put(processEntry(now, kind, report));
    this.#triggers.runChanged(kind, run);
  }

  startFailed(name: string, reason: string): void {
    this.#triggers.startFailed(name, reason);
  }

  /** Bytes that a process has written to its terminal, and that are in its ring already; they are borrowed. */
  output(name: string, bytes: Uint8Array): void {
    if (this.#isKept(name)) {
      const payload = Buffer.allocUnsafe(OFFSET_BYTES + bytes.length);
      const end = this.#options.rings.find(name)?.end ?? bytes.length;
      payload.writeBigUInt64LE(BigInt(Math.max(0, end - bytes.length)));
      payload.set(bytes, OFFSET_BYTES);
      const received = this.#options.now();
      this.#ring.put({ topic: `mgr/terminal/${name}`, ...TERMINAL, received, published: null, sequence: null, payload });
    }
    this.#triggers.output(name, bytes);
  }

  /** Figures in the order of PROCESS_SERIES. */
  measured(name: string, figures: Figures): void {
    if (this.#ring.isOn) this.#ring.put(processLoadEntry(this.#options.now(), name, figures));
  }

  /** Figures in the order of HOST_SERIES. */
  machineMeasured(figures: Figures): void {
    if (this.#ring.isOn) this.#ring.put(machineLoadEntry(this.#options.now(), figures));
  }

  /** Rejects with `busy` if the disk is too slow. */
  async quiet(): Promise<void> {
    await Promise.all([this.#parts.quiet(), this.#ring.quiet()]);
  }

  handOver(): HandedOver {
    const times = new KernelTimes(this.#options.clock);
    const { state: ring, bytes } = this.#ring.handOver(times);
    const { state: parts, handed } = this.#parts.handOver(times);
    const state: z.infer<typeof recorderState> = { ring, parts, starter: this.#starter.handOver(times) };
    return { state, descriptors: handed.descriptors, bytes: { ...bytes, ...handed.bytes } };
  }

  resume(): void {
    this.#ring.resume();
    this.#parts.resume();
  }

  async close(): Promise<void> {
    this.#endTap?.();
    this.#endNetwork?.();
    this.#triggers.close();
    await this.#parts.close();
    await this.#ring.close();
  }

  #isKept(name: string): boolean {
    let isKept = this.#terminals.get(name);
    if (isKept === undefined) {
      isKept = this.#spec?.terminals.some((pattern) => compileFnmatch(pattern)(name)) ?? false;
      this.#terminals.set(name, isKept);
    }
    return isKept;
  }

  #apply(spec: FlightSpec | null): void {
    const { tap, network } = this.#options;
    this.#spec = spec;
    const isOn = spec !== null && spec.memory > 0;
    this.#hasBeenOn ||= isOn;
    this.#ring.configure({ memory: spec?.memory ?? 0, spanMs: spec?.span_ms ?? 0 }, spec?.disk ?? 0);
    this.#topics.maxRate = spec?.max_rate ?? null;
    this.#terminals.clear();
    this.#endTap?.();
    const matchers = isOn ? spec.topics.map(compileFnmatch) : [];
    const matches = (topic: string) => matchers.some((each) => each(topic));
    this.#endTap = tap === null || matchers.length === 0 ? null : tap.add(matches, (message) => this.#topics.message(message));
    if (!isOn) this.#endNetwork?.();
    this.#endNetwork = isOn ? (this.#endNetwork ?? network.subscribe((figures) => this.#networkMeasured(figures))) : null;
    const triggers = isOn ? spec.triggers : [];
    this.#starter.keep(new Set(triggers.map(({ name }) => name)));
    this.#triggers.configure(triggers);
  }

  #networkMeasured(figures: NetworkFigures): void {
    for (const entry of networkEntries(this.#options.now(), figures)) this.#ring.put(entry);
  }

  #nextNumber(): number {
    const number = this.#next++;
    this.#save();
    return number;
  }

  /** Saves the configuration, so that the recorder works after a start without a manager. */
  #save(): void {
    try {
      makeStateFolder(this.#folder);
      replaceFileSync(this.#stateFile, `${JSON.stringify({ spec: this.#spec, next: this.#next })}\n`, { isDurable: false });
    } catch (error) {
      this.#options.log("error", `${this.#stateFile} cannot be written: ${messageOf(error)}`);
    }
  }

  get #stateFile(): string {
    return join(this.#folder, STATE_FILE);
  }
}
