import { rm, stat } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { messageOf } from "../../../../base/errors.ts";
import type { HandedOver } from "../../../../base/handed-over.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { SerialQueue } from "../../../../base/timing/serial-queue.ts";
import type { KernelTimes } from "../../../../daemon/handover/kernel-times.ts";
import { type MetadataRecord, type OpenFile, RecordingFile } from "../../../recordings/host/index.ts";
import { summaryOf } from "../../../recordings/samples/mcap/file-summary.ts";
import type { FlightPart } from "../../contract.ts";
import type { FlightRing } from "../ring/flight-ring.ts";
import type { RingMessage } from "../ring/records.ts";
import type { RingReader, RingVisitor } from "../ring/ring-reader.ts";
import type { RunStates } from "../run-states.ts";
import { Missing, milliseconds, timeText } from "./part-content.ts";
import { handedNames, type WritingState } from "./part-state.ts";

/** Name of the metadata record of an incident. */
export const INCIDENT = "mgr.incident";
/** Interval at which new messages are read from the ring, milliseconds. */
const READ_MS = 500;
/** Bytes that may wait for the disk before the ring is read on: the queue drops messages only far above that. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
/** Interval of checks of the free space, milliseconds. */
const SPACE_MS = 1_000;
const NO_BYTES = new Uint8Array();

export interface PartWriterOptions {
  readonly host: string;
  readonly path: string;
  readonly ring: Pick<FlightRing, "reader" | "readerAt" | "reaches">;
  readonly states: Pick<RunStates, "before">;
  readonly clock: Clock;
  readonly now: () => bigint;
  readonly open: OpenFile;
  /** Why the part must not grow any more; null: it may. */
  readonly limit: () => Promise<string | null>;
}

/** One part of an incident while it is written: what the ring has from a time on, and what comes until another time. */
export class PartWriter implements RingVisitor {
  readonly #options: PartWriterOptions;
  readonly #part: FlightPart;
  readonly #from: bigint;
  readonly #until: bigint;
  /** Monotonic, milliseconds. */
  readonly #endAt: number;
  readonly #missing: Missing;
  readonly #file: RecordingFile;
  #reader: RingReader | null = null;
  /** Why it ends before its time. */
  #cut: string | null = null;
  #isAborted = false;
  #isQuiet = false;
  #wake: (() => void) | null = null;
  #timer: unknown = null;
  #spaceAt = Number.NEGATIVE_INFINITY;
  readonly #work = new SerialQueue();

  constructor(
    part: FlightPart,
    options: PartWriterOptions,
    taken?: { readonly state: WritingState; readonly handed: HandedOver; readonly times: KernelTimes },
  ) {
    const { clock, now, path, open } = options;
    this.#options = options;
    this.#part = part;
    this.#from = BigInt(part.from);
    this.#until = BigInt(part.until);
    const file = { path, about: this.#about(part), channelMetadata: { host: options.host }, open, now: clock.monotonic() };
    const failed = async (error: unknown) => {
      this.#end(`what came after ${timeText(now())}: ${messageOf(error)}`);
      return false;
    };
    if (taken === undefined) {
      this.#endAt = clock.monotonic() + Math.max(0, milliseconds(this.#until - now()));
      this.#missing = new Missing(part.missing);
      this.#file = new RecordingFile({ ...file, failed });
      return;
    }
    const { state, handed, times } = taken;
    const names = handedNames(part.incident);
    const { [names.index]: index = NO_BYTES, [names.unwritten]: unwritten = NO_BYTES } = handed.bytes;
    this.#endAt = times.fromKernel(state.endAt);
    this.#missing = new Missing(state.sentences, state.losses);
    this.#reader = options.ring.readerAt(state);
    const descriptor = handed.descriptors[names.file] ?? null;
    this.#file = new RecordingFile({ ...file, failed, taken: { file: { state: state.file, descriptor, index, unwritten }, times } });
  }

  /** Bytes so far. */
  get size(): number {
    return this.#file.size;
  }

  /** Resolves with the complete part, or one that has failed; null: it was aborted, and its file is removed. Never rejects. */
  async run(): Promise<FlightPart | null> {
    try {
      for (;;) {
        if (this.#isQuiet && !this.#isEnded) await this.#sleep(null);
        const pause = this.#isEnded ? null : await this.#work.run(() => this.#step());
        if (pause === null) break;
        if (pause === 0) await turn();
        else if (!this.#isEnded) await this.#sleep(pause);
      }
    } catch (error) {
      this.#end(`what came after ${timeText(this.#options.now())}: ${messageOf(error)}`);
    }
    return this.#work.run(() => this.#finish());
  }

  /** Ends the part now, and removes its file. */
  abort(): void {
    this.#isAborted = true;
    this.#wake?.();
  }

  /** Ends the part now, with what is in it. `reason`: what is missing, as a sentence. */
  endNow(reason: string): void {
    this.#end(reason);
  }

  /** Does nothing until `resume`. Resolves when no write is under way. */
  async quiet(): Promise<void> {
    this.#isQuiet = true;
    await this.#work.run(() => this.#file.quiet(this.#options.clock.monotonic()));
  }

  resume(): void {
    this.#isQuiet = false;
    this.#file.resume();
    this.#wake?.();
  }

  handOver(times: KernelTimes): { state: WritingState; handed: Pick<HandedOver, "descriptors" | "bytes"> } | null {
    if (this.#reader === null) return null;
    const { state: file, descriptor, index, unwritten } = this.#file.handOver(times);
    const names = handedNames(this.#part.incident);
    return {
      state: { part: this.#part, ...this.#reader.position, endAt: times.toKernel(this.#endAt), ...this.#missing.state, file },
      handed: {
        descriptors: descriptor === null ? {} : { [names.file]: descriptor },
        bytes: { [names.index]: index, [names.unwritten]: unwritten },
      },
    };
  }

  message(message: RingMessage): void {
    const { received } = message;
    if (received < this.#from || received >= this.#until) return;
    if (!this.#file.add(message, 0)) this.#missing.lost(message.topic, 1);
  }

  lost(topic: string, count: number, time: bigint): void {
    if (time >= this.#from && time <= this.#until) this.#missing.lost(topic, count);
  }

  gap(from: bigint, until: bigint, isEnded: boolean): void {
    if (until < this.#from || from > this.#until) return;
    const reason = isEnded ? "the host daemon did not run" : "the ring was overwritten before it was read";
    this.#missing.add(`everything from ${timeText(from)} to ${timeText(until)}: ${reason}`);
  }

  get #isEnded(): boolean {
    return this.#isAborted || this.#cut !== null;
  }

  #end(reason: string): void {
    this.#cut ??= reason;
    this.#wake?.();
  }

  /** Reads a slice of the ring. Resolves with the time until the next one, milliseconds; null: everything is read. */
  async #step(): Promise<number | null> {
    const { clock, limit } = this.#options;
    if (this.#isQuiet) return 0;
    this.#reader ??= await this.#begin();
    if (clock.monotonic() - this.#spaceAt >= SPACE_MS) {
      this.#spaceAt = clock.monotonic();
      const reason = await limit();
      if (reason !== null) {
        this.#cut = `what came after ${timeText(this.#options.now())}: ${reason}`;
        return null;
      }
    }
    // Everything published up to this moment is in the ring.
    const left = this.#endAt - clock.monotonic();
    const hasMore = await this.#reader.slice(this);
    if (this.#file.unwritten > MAX_AHEAD_BYTES) await this.#file.settled();
    if (hasMore) return 0;
    this.#file.flush(clock.monotonic());
    return left <= 0 ? null : Math.min(READ_MS, left);
  }

  async #begin(): Promise<RingReader> {
    const { ring, states, now } = this.#options;
    const reaches = await ring.reaches();
    if (reaches === null || reaches > this.#from) {
      const seconds = reaches === null ? 0 : Math.max(0, milliseconds(now() - reaches)) / 1_000;
      this.#missing.add(`everything before ${timeText(reaches ?? now())}: the ring reaches back ${Number(seconds.toPrecision(3))} s only`);
    }
    this.#part.reaches = reaches === null ? null : String(reaches);
    // A process that does not change would have no state in the file.
    for (const state of states.before(reaches !== null && reaches > this.#from ? reaches : this.#from)) this.message(state);
    return ring.reader(this.#from);
  }

  async #finish(): Promise<FlightPart | null> {
    const { path } = this.#options;
    if (this.#cut !== null) this.#missing.add(this.#cut);
    const part: FlightPart = { ...this.#part, state: "complete", missing: this.#missing.sentences, messages: this.#file.report.messages };
    if (!this.#isAborted) this.#file.addMetadata(this.#about(part));
    const problem = await this.#file.close();
    if (this.#isAborted) {
      await rm(path, { force: true });
      return null;
    }
    const { fired } = this.#part;
    try {
      const { size } = await stat(path);
      if (problem === null) return { ...part, fired, size };
      const { messages } = await summaryOf(path);
      this.#missing.add(problem.text);
      return { ...part, fired, messages, size, missing: this.#missing.sentences };
    } catch (error) {
      return { ...part, fired, state: "failed", problem: (problem?.text ?? messageOf(error)).slice(0, 1_000), messages: 0, size: 0 };
    }
  }

  #about({ incident, cause, fired, from, until, reaches, missing }: FlightPart): MetadataRecord {
    const { host } = this.#options;
    const text = cause === null ? "" : JSON.stringify(cause);
    const values = {
      incident,
      host,
      from,
      until,
      fired: String(fired),
      cause: text,
      reaches: reaches ?? "",
      missing: JSON.stringify(missing),
    };
    return { name: INCIDENT, values };
  }

  /** `ms` null: until something happens. */
  #sleep(ms: number | null): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      this.#wake = () => {
        clock.clearTimeout(this.#timer);
        this.#wake = null;
        resolve();
      };
      if (ms !== null) this.#timer = clock.setTimeout(this.#wake, ms);
    });
  }
}
