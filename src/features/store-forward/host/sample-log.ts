import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { appendFile, open, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readJsonState } from "../../../files/json-state-file.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { decodeSamples, encodeSample, HEAD_BYTES, type KeptSample, receivedOf } from "./kept-sample.ts";

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
  /** When its first and its newest sample were received, nanoseconds since 1970. */
  readonly oldest: bigint;
  newest: bigint;
  /** Samples that are not in the file yet. */
  unwritten: Buffer[];
  /** Whether further samples go into the next segment: the file may end with a part of a sample. */
  isComplete: boolean;
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
  /** Samples that were dropped since the start: too old, too many, too large, or the disk failed. */
  dropped = 0;
  /** Samples that were confirmed since the start. */
  sent = 0;
  readonly #folder: string;
  readonly #segments: Segment[] = [];
  #confirmed: number;
  #next: number;
  #bytes = 0;
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

  /** The log has a folder of its own in `parent`, whose name is its `id`. */
  static create(parent: string, topic: string): SampleLog {
    const id = randomUUID();
    const folder = join(parent, id);
    makeStateFolder(folder);
    const log = new SampleLog(folder, { topic, id, confirmed: 0, next: 0 });
    log.save();
    return log;
  }

  /** Opens what an earlier daemon has kept; null: the folder has no log. */
  static async open(folder: string, warn: (msg: string) => void): Promise<SampleLog | null> {
    const lost = `the samples in ${folder} are dropped`;
    const state = readJsonState(join(folder, STATE_FILE), { schema: logState.nullable(), empty: null, lost, warn });
    const log = state === null ? null : new SampleLog(folder, state);
    if (log !== null) await log.#load();
    if (log !== null && log.count > 0) return log;
    // A log that begins again has numbers of its own: subscribers have seen those of this one.
    await rm(folder, { recursive: true, force: true });
    return null;
  }

  /** Samples that wait, and their bytes on the disk. */
  get count(): number {
    return this.#next - this.#confirmed;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** When the oldest sample that waits was received, nanoseconds since 1970, or the first one of its segment if that was not read; null: none waits. */
  get oldest(): bigint | null {
    const [segment] = this.#segments;
    if (segment === undefined || this.count === 0) return null;
    const isRead = this.#read.first === segment.first;
    return (isRead ? this.#read.samples[this.#confirmed - segment.first]?.received : undefined) ?? segment.oldest;
  }

  /** Copies the sample; returns its bytes on the disk. */
  append(sample: KeptSample): number {
    const record = encodeSample(sample);
    let last = this.#segments.at(-1);
    if (last === undefined || last.isComplete || last.bytes >= SEGMENT_BYTES) {
      const { received } = sample;
      last = { first: this.#next, count: 0, bytes: 0, oldest: received, newest: received, unwritten: [], isComplete: false };
      this.#segments.push(last);
    }
    last.count++;
    last.bytes += record.length;
    last.newest = sample.received;
    last.unwritten.push(record);
    this.#bytes += record.length;
    this.#next++;
    return record.length;
  }

  /**
   * Reads waiting samples, the oldest first: at most `maxBytes` of them, at least one; none if none waits. Rejects if the file of the oldest ones
   * is damaged.
   */
  async read(maxBytes: number): Promise<LogWindow> {
    await this.flush();
    const first = this.#confirmed;
    const [segment] = this.#segments;
    if (segment === undefined) return { first, samples: [] };
    const isKnown = this.#read.first === segment.first && this.#read.samples.length === segment.count;
    if (!isKnown)
      this.#read = { first: segment.first, samples: decodeSamples(await readFile(this.#pathOf(segment))).samples.slice(0, segment.count) };
    const samples: KeptSample[] = [];
    let bytes = 0;
    for (const sample of this.#read.samples.slice(first - segment.first)) {
      bytes += sample.headers.length + sample.payload.length;
      if (samples.length > 0 && bytes > maxBytes) break;
      samples.push(sample);
    }
    if (samples.length === 0 && segment.unwritten.length === 0) throw new Error(`${this.#pathOf(segment)} is damaged`);
    return { first, samples };
  }

  /** All samples before this index have arrived, or are dropped. */
  confirm(next: number): void {
    this.#confirmed = Math.max(this.#confirmed, Math.min(next, this.#next));
    for (;;) {
      const [oldest] = this.#segments;
      if (oldest === undefined || oldest.first + oldest.count > this.#confirmed) return;
      this.#segments.shift();
      this.#bytes -= oldest.bytes;
      this.#removed.push(oldest);
    }
  }

  /** Drops waiting samples before this index. */
  drop(next: number): void {
    const before = this.#confirmed;
    this.confirm(next);
    this.dropped += this.#confirmed - before;
  }

  /** Drops the oldest segment. */
  dropOldest(): void {
    const [oldest] = this.#segments;
    if (oldest !== undefined) this.drop(oldest.first + oldest.count);
  }

  /** Drops segments without a sample that was received after this time. */
  expire(oldest: bigint): void {
    for (let segment = this.#segments[0]; segment !== undefined && segment.newest < oldest; segment = this.#segments[0]) this.dropOldest();
  }

  /**
   * Writes what is not on the disk yet, and removes files of segments that are not needed. Rejects if the disk does not take it: samples that were not
   * written are dropped, and those on the disk stay.
   */
  async flush(): Promise<void> {
    await this.#clear();
    for (const segment of [...this.#segments]) {
      const { unwritten } = segment;
      if (unwritten.length === 0) continue;
      segment.unwritten = [];
      try {
        await appendFile(this.#pathOf(segment), Buffer.concat(unwritten), { mode: 0o600 });
      } catch (error) {
        segment.unwritten = [...unwritten, ...segment.unwritten];
        await this.#dropUnwritten(segment);
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

  /** Removes files before the state is saved: a disk that is full may not take the state until then. */
  async #clear(): Promise<void> {
    if (this.#removed.length === 0) return;
    for (const segment of this.#removed.splice(0)) await rm(this.#pathOf(segment), { force: true });
    this.save();
  }

  /** Drops the samples from the first one of this segment that was not written. None of them was sent, so the next ones get their indices. */
  async #dropUnwritten(segment: Segment): Promise<void> {
    let count = 0;
    // Samples may be confirmed or dropped meanwhile, and then the segment is gone.
    for (const each of this.#segments.slice(Math.max(0, this.#segments.indexOf(segment)))) {
      const bytes = each.unwritten.reduce((sum, { length }) => sum + length, 0);
      count += each.unwritten.length;
      each.count -= each.unwritten.length;
      each.bytes -= bytes;
      each.unwritten = [];
      this.#bytes -= bytes;
    }
    this.#next -= count;
    this.dropped += count;
    const path = this.#pathOf(segment);
    const { bytes } = segment;
    while ((this.#segments.at(-1)?.count ?? 1) === 0) this.#segments.pop();
    // The file may have a part of what was not written.
    if (bytes === 0) await rm(path, { force: true });
    else
      await truncate(path, bytes).catch(() => {
        segment.isComplete = true;
      });
  }

  async #load(): Promise<void> {
    const firsts = (await readdir(this.#folder)).flatMap((name) => SEGMENT.exec(name)?.[1] ?? []).map(Number);
    firsts.sort((a, b) => a - b);
    for (const [at, first] of firsts.entries()) {
      const segment = { first, unwritten: [], isComplete: false };
      const path = this.#pathOf(segment);
      const next = firsts[at + 1];
      const { size, mtimeMs } = await stat(path);
      if (next === undefined) {
        const { samples, end } = decodeSamples(await readFile(path));
        if (end < size) await truncate(path, end);
        const [oldest, newest] = [samples[0]?.received ?? 0n, samples.at(-1)?.received ?? 0n];
        this.#segments.push({ ...segment, count: samples.length, bytes: end, oldest, newest });
        this.#next = first + samples.length;
        this.#bytes += end;
      } else {
        const newest = BigInt(Math.ceil(mtimeMs)) * 1_000_000n;
        this.#segments.push({ ...segment, count: next - first, bytes: size, oldest: await firstReceived(path), newest });
        this.#bytes += size;
      }
    }
    // The files count if the daemon was killed before it saved the state: those of samples that have arrived may be gone, the newest may be short.
    const [oldest] = this.#segments;
    this.#confirmed = oldest === undefined ? this.#next : Math.max(this.#confirmed, oldest.first);
    this.#next = Math.max(this.#next, this.#confirmed);
    this.confirm(this.#confirmed);
  }

  #pathOf({ first }: Pick<Segment, "first">): string {
    return join(this.#folder, `${String(first).padStart(16, "0")}.seg`);
  }
}

/** When the first sample of a file was received; 0: the file has none. */
async function firstReceived(path: string): Promise<bigint> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return bytesRead < HEAD_BYTES ? 0n : receivedOf(buffer, 0);
  } finally {
    await file.close();
  }
}
