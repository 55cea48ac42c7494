import { rmSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { MgrError, messageOf } from "../../../../base/errors.ts";
import type { HandedOver } from "../../../../base/handed-over.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { withTimeout } from "../../../../base/timing/wait.ts";
import type { ResponseOf } from "../../../../contract/messages.ts";
import { KernelTimes } from "../../../../daemon/handover/kernel-times.ts";
import { freeSpace } from "../../../../files/free-space.ts";
import { readJsonState } from "../../../../files/json-state-file.ts";
import { replaceFileSync } from "../../../../files/replace-file.ts";
import { makeStateFolder } from "../../../../files/state-folder.ts";
import { createFile, type OpenFile } from "../../../recordings/host/index.ts";
import { type FlightPart, type FlightPartEvent, flightPart, MAX_MISSING, MAX_PARTS } from "../../contract.ts";
import type { FlightRing } from "../ring/flight-ring.ts";
import type { RunStates } from "../run-states.ts";
import { leftIn, namesIn } from "./left-parts.ts";
import { timeText } from "./part-content.ts";
import type { PartsState } from "./part-state.ts";
import { PartWriter } from "./part-writer.ts";

/** Bound of all parts of a host, bytes. */
export const MAX_PARTS_BYTES = 4 * 1024 ** 3;
/** Interval of events about triggers that fire again, milliseconds. */
const FIRED_MS = 500;
/** Time limit for writes that are under way when the program is about to be replaced, milliseconds. */
const MAX_QUIET_MS = 3_000;
const MCAP = ".mcap";
const STATE = ".json";

export interface PartsOptions {
  readonly host: string;
  readonly folder: string;
  readonly ring: FlightRing;
  readonly states: Pick<RunStates, "before">;
  readonly clock: Clock;
  readonly now: () => bigint;
  readonly log: (level: "info" | "warning" | "error", msg: string) => void;
  readonly send: (event: FlightPartEvent) => void;
  /** Free space that is left to other programs, bytes. */
  readonly minFree: number;
  /** Whether a trigger that fires again may be counted in this incident. */
  readonly isCounting: (incident: string) => boolean;
  /** Replaced in tests of small bounds and failing disks. */
  readonly maxBytes?: number | undefined;
  readonly open?: OpenFile | undefined;
}

interface Entry {
  part: FlightPart;
  writer: PartWriter | null;
  done: Promise<void>;
}

/** The parts of incidents that this host has. Each has a file and a state of its own, so that a killed daemon's are completed by the next one. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #entries = new Map<string, Entry>();
  #seq = 0;
  readonly #fired = new Set<string>();
  #timer: unknown = null;
  #isClosing = false;
  /** Resolves when the parts of earlier daemons are known and complete, or are being written again. */
  readonly opened: Promise<void>;

  /** `taken`: the parts of the program before this one. */
  constructor(options: PartsOptions, taken?: { readonly state: PartsState; readonly handed: HandedOver }) {
    this.#options = options;
    if (taken !== undefined) this.#adopt(taken.state, taken.handed);
    this.opened = taken === undefined ? this.#open() : Promise.resolve();
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  list(): FlightPart[] {
    return [...this.#entries.values()].map(({ part }) => part);
  }

  /** Whether there is a part, or its file is being written. */
  has(incident: string): boolean {
    return this.#withFile.some(({ part }) => part.incident === incident);
  }

  /** Begins a part. Throws `busy` if the host has too many, or too large ones. */
  begin(wanted: Pick<FlightPart, "incident" | "cause" | "from" | "until">): void {
    if (this.has(wanted.incident)) return;
    if (this.#withFile.length >= MAX_PARTS)
      throw new MgrError("busy", `this host has parts of ${MAX_PARTS} incidents, which no manager has fetched: delete some of them`);
    if (this.#isFull) throw new MgrError("busy", `the parts of incidents on this host have ${this.#maxBytes} bytes: delete some of them`);
    const fresh = { fired: 1, state: "writing", problem: null, reaches: null, missing: [], messages: 0, size: 0 } as const;
    this.#write({ ...wanted, ...fresh, missing: [] });
    this.#changed(wanted.incident);
  }

  /** The trigger of an incident has fired again. */
  firedAgain(incident: string): void {
    const entry = this.#entries.get(incident);
    if (entry === undefined) return;
    entry.part.fired++;
    this.#fired.add(incident);
    this.#timer ??= this.#options.clock.setTimeout(() => this.#sendFired(), FIRED_MS);
  }

  /** Throws `not_found`, or `conflict` for a part that is not complete. */
  async read(incident: string, from: number, max: number): Promise<ResponseOf<"flight_read">> {
    await this.opened;
    const part = this.#entries.get(incident)?.part;
    if (part === undefined || part.state === "removed")
      throw new MgrError("not_found", `this host has no part of the incident '${incident}'`);
    if (part.state !== "complete")
      throw new MgrError("conflict", `the part of the incident '${incident}' is ${part.state}, so it cannot be read`);
    await using file = await open(this.#pathOf(incident, MCAP), "r");
    const { size } = await file.stat();
    const data = Buffer.alloc(Math.max(0, Math.min(max, size - from)));
    const { bytesRead } = await file.read(data, 0, data.length, from);
    return { size, data: data.subarray(0, bytesRead) };
  }

  /** Deletes the file of a part; one that is being written ends. Does nothing if there is none. What its trigger counts is still reported. */
  async delete(incident: string): Promise<void> {
    await this.opened;
    const entry = this.#entries.get(incident);
    if (entry === undefined || entry.part.state === "removed") return;
    entry.writer?.abort();
    await entry.done;
    if (this.#entries.get(incident) !== entry) return;
    for (const suffix of [MCAP, STATE]) await rm(this.#pathOf(incident, suffix), { force: true });
    entry.part = { ...entry.part, state: "removed", problem: null, reaches: null, missing: [], messages: 0, size: 0 };
    if (this.#options.isCounting(incident)) this.#changed(incident);
    else this.forget(incident);
  }

  /** The trigger of an incident is not counted in it any more: a part whose file was deleted is not reported any longer. */
  forget(incident: string): void {
    if (this.#entries.get(incident)?.part.state !== "removed") return;
    this.#entries.delete(incident);
    this.#changed(incident);
  }

  /** Rejects with `busy` if the disk is too slow. */
  async quiet(): Promise<void> {
    await this.opened;
    const { clock, folder } = this.#options;
    const busy = () => new MgrError("busy", `the flight recorder waits for the disk of ${folder}; try again when it is faster`);
    const writers = [...this.#entries.values()].flatMap(({ writer }) => writer ?? []);
    await withTimeout(Promise.all(writers.map((writer) => writer.quiet())), MAX_QUIET_MS, busy, clock);
  }

  resume(): void {
    for (const { writer } of this.#entries.values()) writer?.resume();
  }

  handOver(times: KernelTimes): { state: PartsState; handed: Pick<HandedOver, "descriptors" | "bytes"> } {
    const writing = [...this.#entries.values()].flatMap(({ writer }) => writer?.handOver(times) ?? []);
    return {
      state: { seq: this.#seq, parts: this.list(), writing: writing.map(({ state }) => state) },
      handed: {
        descriptors: Object.assign({}, ...writing.map(({ handed }) => handed.descriptors)),
        bytes: Object.assign({}, ...writing.map(({ handed }) => handed.bytes)),
      },
    };
  }

  /** Ends all parts with what is in them. */
  async close(): Promise<void> {
    await this.opened;
    this.#isClosing = true;
    this.#options.clock.clearTimeout(this.#timer);
    const reason = `what came after ${timeText(this.#options.now())}: the host daemon ended`;
    for (const { writer } of this.#entries.values()) writer?.endNow(reason);
    await Promise.all([...this.#entries.values()].map(({ done }) => done));
  }

  get #maxBytes(): number {
    return this.#options.maxBytes ?? MAX_PARTS_BYTES;
  }

  get #withFile(): Entry[] {
    return [...this.#entries.values()].filter(({ part }) => part.state !== "removed");
  }

  get #isFull(): boolean {
    return [...this.#entries.values()].reduce((sum, { part, writer }) => sum + (writer?.size ?? part.size), 0) >= this.#maxBytes;
  }

  #adopt({ seq, parts, writing }: PartsState, handed: HandedOver): void {
    const times = new KernelTimes(this.#options.clock);
    this.#seq = seq;
    for (const part of parts) {
      const state = writing.find((each) => each.part.incident === part.incident);
      if (state !== undefined) this.#write(part, { state, handed, times });
      else if (part.state === "writing") {
        // It had not begun to read: its file has no messages.
        rmSync(this.#pathOf(part.incident, MCAP), { force: true });
        this.#write(part);
      } else this.#entries.set(part.incident, { part, writer: null, done: Promise.resolve() });
    }
  }

  #write(part: FlightPart, taken?: ConstructorParameters<typeof PartWriter>[2]): void {
    const { host, ring, states, clock, now, open: openFile = createFile } = this.#options;
    const path = this.#pathOf(part.incident, MCAP);
    // This makes the folder, too, in which the writer creates the file at once.
    this.#save(part);
    const writer = new PartWriter(part, { host, path, ring, states, clock, now, open: openFile, limit: () => this.#limit() }, taken);
    const entry: Entry = { part, writer, done: Promise.resolve() };
    this.#entries.set(part.incident, entry);
    entry.done = writer.run().then((done) => {
      entry.writer = null;
      if (done === null) return;
      entry.part = done;
      if (done.problem !== null) this.#options.log("error", `the part of the incident '${done.incident}' has failed: ${done.problem}`);
      this.#save(done);
      if (!this.#isClosing) this.#changed(done.incident);
    });
  }

  /** Why no part may grow any more; null: they may. */
  async #limit(): Promise<string | null> {
    const { folder, minFree } = this.#options;
    if (this.#isFull) return `the parts of incidents on this host have ${this.#maxBytes} bytes`;
    return (await freeSpace(folder)) < minFree ? `less than ${minFree} bytes are free on the disk of ${folder}` : null;
  }

  /** Reads the parts of earlier daemons, and completes those that a killed one has left. */
  async #open(): Promise<void> {
    const { folder, log } = this.#options;
    for (const name of namesIn(folder)) {
      if (!name.endsWith(STATE)) continue;
      const path = join(folder, name);
      const warn = (msg: string) => log("warning", msg);
      const part = readJsonState(path, { schema: flightPart.nullable(), empty: null, lost: "this part of an incident is lost", warn });
      if (part === null || this.has(part.incident)) continue;
      if (part.state !== "writing") this.#entries.set(part.incident, { part, writer: null, done: Promise.resolve() });
      else await this.#complete(part).catch((error: unknown) => log("error", `${path} cannot be completed: ${messageOf(error)}`));
    }
  }

  /** A ring on the disk has all that the killed daemon had: the part is written anew. Otherwise it ends with what is in its file. */
  async #complete(part: FlightPart): Promise<void> {
    const path = this.#pathOf(part.incident, MCAP);
    const left = await leftIn(path);
    const reaches = await this.#options.ring.reaches();
    const isOnDisk = reaches !== null && (reaches <= BigInt(part.from) || (left !== null && reaches <= left.start));
    if (left === null || isOnDisk) {
      await rm(path, { force: true });
      this.#write(part);
    } else {
      const { size } = await stat(path);
      const lost = `what came after ${timeText(left.end)}: the host daemon was killed while it wrote this`;
      const missing = [...part.missing, lost].slice(0, MAX_MISSING);
      const done: FlightPart = { ...part, state: "complete", reaches: String(left.start), missing, messages: left.messages, size };
      this.#entries.set(part.incident, { part: done, writer: null, done: Promise.resolve() });
      this.#save(done);
    }
    this.#changed(part.incident);
  }

  #sendFired(): void {
    this.#timer = null;
    for (const incident of this.#fired) {
      const entry = this.#entries.get(incident);
      if (entry === undefined) continue;
      if (entry.part.state !== "removed") this.#save(entry.part);
      this.#changed(incident);
    }
    this.#fired.clear();
  }

  #changed(incident: string): void {
    const part = this.#entries.get(incident)?.part ?? null;
    this.#options.send({ seq: ++this.#seq, incident, part: part && { ...part } });
  }

  #save(part: FlightPart): void {
    const path = this.#pathOf(part.incident, STATE);
    try {
      makeStateFolder(this.#options.folder);
      replaceFileSync(path, `${JSON.stringify(part)}\n`, { isDurable: false });
    } catch (error) {
      this.#options.log("error", `${path} cannot be written: ${messageOf(error)}`);
    }
  }

  #pathOf(incident: string, suffix: string): string {
    return join(this.#options.folder, incident + suffix);
  }
}
