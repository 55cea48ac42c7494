import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { appendFile, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readJsonState } from "../../../files/json-state-file.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { decodeSamples, encodeSample, type KeptSample } from "./kept-sample.ts";

/** Size at which a segment is complete, bytes. A segment is removed as a whole. */
const SEGMENT_BYTES = 1024 * 1024;
const STATE_FILE = "log.json";
const SEGMENT = /^(\d{16})\.seg$/;
const count = z.int().min(0);
const logState = z.object({ topic: z.string(), id: z.string(), confirmed: count, next: count });

/** A part of the log in one file. */
interface Segment {
  /** Index of its first sample. */
  readonly first: number;
  count: number;
  bytes: number;
  /** When its newest sample was received, nanoseconds since 1970. */
  newest: bigint;
  /** Samples that are not in the file yet. */
  unwritten: Buffer[];
}

/** Samples of a log from an index on. */
export interface LogWindow {
  readonly first: number;
  readonly samples: readonly KeptSample[];
}

/**
 * The kept samples of one topic, in files of its folder. Samples have consecutive indices over the life of the log; those before `confirmed` have
 * arrived, or were dropped. Calls of asynchronous functions must not overlap.
 */
export class SampleLog {
  readonly topic: string;
  /** Identifies the numbering. */
  readonly id: string;
  readonly #folder: string;
  readonly #segments: Segment[] = [];
  #confirmed: number;
  #next: number;
  /** The segment that was read last. */
  #read: LogWindow = { first: 0, samples: [] };
  /** Segments that were dropped and whose files may exist. */
  readonly #removed: Segment[] = [];

  private constructor(folder: string, { topic, id, confirmed, next }: z.infer<typeof logState>) {
    this.#folder = folder;
    this.topic = topic;
    this.id = id;
    this.#confirmed = confirmed;
    this.#next = next;
  }

  static create(folder: string, topic: string): SampleLog {
    makeStateFolder(folder);
    const log = new SampleLog(folder, { topic, id: randomUUID(), confirmed: 0, next: 0 });
    log.save();
    return log;
  }

  /** Opens what an earlier daemon has kept; null: the folder has no log. */
  static async open(folder: string, warn: (msg: string) => void): Promise<SampleLog | null> {
    const lost = `the samples in ${folder} are dropped`;
    const state = readJsonState(join(folder, STATE_FILE), { schema: logState.nullable(), empty: null, lost, warn });
    if (state === null) return null;
    const log = new SampleLog(folder, state);
    await log.#load();
    return log;
  }

  /** Samples that wait, and their bytes on the disk. */
  get count(): number {
    return this.#next - this.#confirmed;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes that are not on the disk yet. */
  get unwritten(): number {
    return this.#segments.reduce((sum, { unwritten }) => sum + unwritten.reduce((total, { length }) => total + length, 0), 0);
  }

  /** Copies the sample. */
  append(sample: KeptSample): void {
    const record = encodeSample(sample);
    let last = this.#segments.at(-1);
    if (last === undefined || last.bytes >= SEGMENT_BYTES) {
      last = { first: this.#next, count: 0, bytes: 0, newest: sample.received, unwritten: [] };
      this.#segments.push(last);
    }
    last.count++;
    last.bytes += record.length;
    last.newest = sample.received;
    last.unwritten.push(record);
    this.#next++;
  }

  /** Reads waiting samples, the oldest first: at most `maxBytes` of them, at least one; none if none waits. */
  async read(maxBytes: number): Promise<LogWindow> {
    await this.flush();
    const first = this.#confirmed;
    const segment = this.#segments.find((each) => first < each.first + each.count);
    if (segment === undefined) return { first, samples: [] };
    const isKnown = this.#read.first === segment.first && this.#read.samples.length === segment.count;
    if (!isKnown) this.#read = { first: segment.first, samples: decodeSamples(await readFile(this.#pathOf(segment))).samples };
    const samples: KeptSample[] = [];
    let bytes = 0;
    for (const sample of this.#read.samples.slice(first - segment.first)) {
      bytes += sample.headers.length + sample.payload.length;
      if (samples.length > 0 && bytes > maxBytes) break;
      samples.push(sample);
    }
    return { first, samples };
  }

  /** All samples before this index have arrived, or are dropped. */
  confirm(next: number): void {
    this.#confirmed = Math.max(this.#confirmed, Math.min(next, this.#next));
    for (;;) {
      const [oldest] = this.#segments;
      if (oldest === undefined || oldest.first + oldest.count > this.#confirmed) return;
      this.#segments.shift();
      this.#removed.push(oldest);
    }
  }

  /** Drops the oldest segment; returns the number of its samples that waited. */
  dropOldest(): number {
    const [oldest] = this.#segments;
    if (oldest === undefined) return 0;
    const before = this.#confirmed;
    this.confirm(oldest.first + oldest.count);
    return this.#confirmed - before;
  }

  /** Drops segments without a sample that was received after this time; returns the number of samples that waited. */
  expire(oldest: bigint): number {
    let dropped = 0;
    for (let segment = this.#segments[0]; segment !== undefined && segment.newest < oldest; segment = this.#segments[0])
      dropped += this.dropOldest();
    return dropped;
  }

  /** Writes what is not on the disk yet, and removes files of segments that are not needed. Rejects if the disk does not take it: it is dropped. */
  async flush(): Promise<void> {
    await this.#clear();
    for (const segment of [...this.#segments]) {
      const { unwritten } = segment;
      if (unwritten.length === 0) continue;
      segment.unwritten = [];
      try {
        await appendFile(this.#pathOf(segment), Buffer.concat(unwritten), { mode: 0o600 });
      } catch (error) {
        // What the file has of them cannot be told from a whole sample.
        this.confirm(segment.first + segment.count);
        throw error;
      }
    }
    await this.#clear();
  }

  /** As `flush`, at once; for the end of the program. */
  flushSync(): void {
    for (const segment of this.#segments) {
      if (segment.unwritten.length > 0) appendFileSync(this.#pathOf(segment), Buffer.concat(segment.unwritten), { mode: 0o600 });
      segment.unwritten = [];
    }
    this.save();
  }

  /** Saves which samples have arrived: an earlier state would send them again. */
  save(): void {
    const state: z.infer<typeof logState> = { topic: this.topic, id: this.id, confirmed: this.#confirmed, next: this.#next };
    replaceFileSync(join(this.#folder, STATE_FILE), `${JSON.stringify(state)}\n`, { isDurable: false });
  }

  /** Removes the log from the disk. */
  async remove(): Promise<void> {
    this.confirm(this.#next);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #clear(): Promise<void> {
    if (this.#removed.length === 0) return;
    this.save();
    for (const segment of this.#removed.splice(0)) await rm(this.#pathOf(segment), { force: true });
  }

  async #load(): Promise<void> {
    const firsts = (await readdir(this.#folder)).flatMap((name) => SEGMENT.exec(name)?.[1] ?? []).map(Number);
    firsts.sort((a, b) => a - b);
    for (const [at, first] of firsts.entries()) {
      const segment = { first, count: 0, bytes: 0, newest: 0n, unwritten: [] };
      const path = this.#pathOf(segment);
      const next = firsts[at + 1];
      const { size, mtimeMs } = await stat(path);
      if (next === undefined) {
        const { samples, end } = decodeSamples(await readFile(path));
        if (end < size) await truncate(path, end);
        this.#segments.push({ ...segment, count: samples.length, bytes: end, newest: samples.at(-1)?.received ?? 0n });
        this.#next = first + samples.length;
      } else this.#segments.push({ ...segment, count: next - first, bytes: size, newest: BigInt(Math.ceil(mtimeMs)) * 1_000_000n });
    }
    this.#next = Math.max(this.#next, this.#confirmed);
    this.confirm(this.#confirmed);
  }

  #pathOf({ first }: Pick<Segment, "first">): string {
    return join(this.#folder, `${String(first).padStart(16, "0")}.seg`);
  }
}
