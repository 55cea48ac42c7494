import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import type { KeptSample } from "./kept-sample.ts";
import { type LogWindow, SampleLog } from "./sample-log.ts";

/** Maximum number of topics of which samples are kept; those of more are dropped. */
const MAX_LOGS = 1_000;
/** Maximum number of bytes that wait to be written: with a disk that is slower, newer samples are dropped. */
const MAX_UNWRITTEN_BYTES = 16 * 1024 * 1024;

export interface StoreLimits {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

interface SampleStoreOptions {
  readonly folder: string;
  /** The wall clock, nanoseconds since 1970. */
  readonly now: () => bigint;
  readonly log: WarningLog;
}

/** Time after which a log that could not be created is tried again, milliseconds. */
const RETRY_MS = 1_000;

/** The kept samples of all topics of a host, within bounds of bytes and age. */
export class SampleStore {
  limits: StoreLimits = { maxBytes: 0, maxAgeMs: 0 };
  readonly #options: SampleStoreOptions;
  readonly #logs = new Map<string, SampleLog>();
  /** Files are read and written one after the other. */
  readonly #files = new SerialQueue();
  readonly #warning: ThrottledWarning;
  /** Samples of topics without a log that were dropped. */
  #dropped = 0;
  /** Bytes that were appended and may not be on the disk yet. */
  #unwritten = 0;
  #isBeating = false;
  /** When the disk refused a log, by the monotonic clock, milliseconds. */
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SampleStoreOptions) {
    this.#options = options;
    this.#warning = new ThrottledWarning(options.log);
  }

  /** Opens what an earlier daemon has kept. Never rejects. */
  open(): Promise<void> {
    return this.#files.run(() => this.#open()).catch((error: unknown) => this.#warn(error));
  }

  /** Samples that were dropped since the start: too old, too many, too large, or the disk failed. */
  get dropped(): number {
    return [...this.#logs.values()].reduce((sum, { dropped }) => sum + dropped, this.#dropped);
  }

  /** The logs of all topics of which samples were kept or dropped since the start. */
  get logs(): readonly SampleLog[] {
    return [...this.#logs.values()];
  }

  /** Topics with samples that wait. */
  get waiting(): SampleLog[] {
    return [...this.#logs.values()].filter(({ count }) => count > 0);
  }

  get count(): number {
    return this.waiting.reduce((sum, { count }) => sum + count, 0);
  }

  append(topic: string, sample: KeptSample): void {
    if (this.#unwritten > MAX_UNWRITTEN_BYTES) {
      this.#refuse(topic, `the disk of ${this.#options.folder} is too slow for 'store_forward'; samples of '${topic}' are dropped`);
      return;
    }
    const log = this.#logs.get(topic) ?? this.#create(topic);
    if (log !== null) this.#unwritten += log.append(sample);
  }

  /** Reads samples of a log that wait, the oldest first. Resolves with none if they cannot be read: they are dropped. */
  read(log: SampleLog, maxBytes: number): Promise<LogWindow> {
    return this.#files
      .run(() => log.read(maxBytes))
      .catch((error: unknown) => {
        this.#warn(error);
        log.dropOldest();
        return { first: 0, samples: [] };
      });
  }

  /** Enforces the limits, then writes to the disk. Never rejects. */
  flush(): Promise<void> {
    const oldest = this.#options.now() - BigInt(this.limits.maxAgeMs) * 1_000_000n;
    for (const log of this.#logs.values()) log.expire(oldest);
    this.#shrink();
    return this.#files.run(async () => {
      const unwritten = this.#unwritten;
      for (const log of this.#logs.values()) await log.flush().catch((error: unknown) => this.#warn(error));
      this.#unwritten -= unwritten;
    });
  }

  /** As `flush`, unless the call before it is still writing: calls must not pile up if the disk hangs. */
  beat(): void {
    if (this.#isBeating) return;
    this.#isBeating = true;
    void this.flush().then(() => {
      this.#isBeating = false;
    });
  }

  /** Removes all samples, also those of an earlier daemon that were not opened. Never rejects. */
  async clear(): Promise<void> {
    this.#logs.clear();
    const { folder } = this.#options;
    const remove = async () => {
      const known = new Set([...this.#logs.values()].map(({ id }) => id));
      const names = await readdir(folder).catch(() => []);
      for (const name of names) if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true });
    };
    await this.#files.run(remove).catch((error: unknown) => this.#warn(error));
  }

  /** Writes all at once, when nothing else is under way: the program ends. */
  flushSync(): void {
    for (const log of this.#logs.values()) {
      try {
        log.flushSync();
      } catch (error) {
        this.#warn(error);
      }
    }
  }

  #shrink(): void {
    const logs = [...this.#logs.values()];
    let bytes = logs.reduce((sum, log) => sum + log.bytes, 0);
    while (bytes > this.limits.maxBytes) {
      // The topic with the most bytes gives way.
      const fattest = logs.reduce((most, log) => (log.bytes > most.bytes ? log : most));
      const before = fattest.bytes;
      if (before === 0) return;
      fattest.dropOldest();
      bytes -= before - fattest.bytes;
      this.#warning.warn(`samples of '${fattest.topic}' that were kept for the link were dropped: 'store_forward.max_size' is reached`);
    }
  }

  async #open(): Promise<void> {
    const { folder, log } = this.#options;
    makeStateFolder(folder);
    for (const { name } of (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory())) {
      const opened = await SampleLog.open(join(folder, name), (msg) => log("warning", msg)).catch((error: unknown) => this.#warn(error));
      if (opened) this.#logs.set(opened.topic, opened);
    }
  }

  /** Null: there can be no log, and the sample is dropped. */
  #create(topic: string): SampleLog | null {
    if (this.#logs.size >= MAX_LOGS && !this.#evict()) {
      this.#refuse(
        topic,
        `store and forward keeps ${MAX_LOGS} topics at most; samples of '${topic}' are dropped: name fewer in 'store_forward.topics'`,
      );
      return null;
    }
    if (performance.now() - this.#refusedAt < RETRY_MS) {
      this.#dropped++;
      return null;
    }
    try {
      const log = SampleLog.create(this.#options.folder, topic);
      this.#logs.set(topic, log);
      return log;
    } catch (error) {
      this.#refusedAt = performance.now();
      this.#dropped++;
      this.#warn(error);
      return null;
    }
  }

  /** Removes the log of a topic without waiting samples; returns whether there was one. */
  #evict(): boolean {
    const empty = [...this.#logs.values()].find(({ count }) => count === 0);
    if (empty === undefined) return false;
    this.#logs.delete(empty.topic);
    this.#dropped += empty.dropped;
    this.#files.run(() => empty.remove()).catch((error: unknown) => this.#warn(error));
    return true;
  }

  #refuse(topic: string, reason: string): void {
    const log = this.#logs.get(topic);
    if (log === undefined) this.#dropped++;
    else log.dropped++;
    this.#warning.warn(reason);
  }

  #warn(error: unknown): void {
    this.#warning.warn(
      `samples of 'store_forward' were dropped: ${messageOf(error)}. Make sure that ${this.#options.folder} can be written`,
    );
  }
}
