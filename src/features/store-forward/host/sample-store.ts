import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { SerialQueue } from "../../../base/serial-queue.ts";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";
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

/** The kept samples of all topics of a host, within bounds of bytes and age. */
export class SampleStore {
  /** Samples that were dropped: too old, too many, or the disk did not take them. */
  dropped = 0;
  limits: StoreLimits = { maxBytes: 0, maxAgeMs: 0 };
  readonly #options: SampleStoreOptions;
  readonly #logs = new Map<string, SampleLog>();
  /** Files are read and written one after the other. */
  readonly #files = new SerialQueue();
  readonly #warning: ThrottledWarning;

  constructor(options: SampleStoreOptions) {
    this.#options = options;
    this.#warning = new ThrottledWarning(options.log);
  }

  /** Opens what an earlier daemon has kept. Never rejects. */
  open(): Promise<void> {
    return this.#files.run(() => this.#open()).catch((error: unknown) => this.#warn(error));
  }

  /** Topics with samples that wait. */
  get waiting(): SampleLog[] {
    return [...this.#logs.values()].filter(({ count }) => count > 0);
  }

  get count(): number {
    return this.waiting.reduce((sum, { count }) => sum + count, 0);
  }

  append(topic: string, sample: KeptSample): void {
    try {
      const log = this.#logs.get(topic) ?? this.#create(topic);
      if (log === null || this.#unwritten > MAX_UNWRITTEN_BYTES) {
        this.dropped++;
        this.#warning.warn(
          log === null
            ? `store and forward keeps ${MAX_LOGS} topics at most; samples of '${topic}' are dropped: name fewer in 'store_forward.topics'`
            : `the disk of ${this.#options.folder} is too slow for 'store_forward'; samples of '${topic}' are dropped`,
        );
        return;
      }
      log.append(sample);
    } catch (error) {
      this.dropped++;
      this.#warn(error);
    }
  }

  /** Reads samples of a log that wait, the oldest first. Resolves with none if they cannot be read: they are dropped. */
  read(log: SampleLog, maxBytes: number): Promise<LogWindow> {
    return this.#files
      .run(() => log.read(maxBytes))
      .catch((error: unknown) => {
        this.#warn(error);
        this.dropped += log.dropOldest();
        return { first: 0, samples: [] };
      });
  }

  /** Enforces the limits, then writes to the disk. Never rejects. */
  flush(): Promise<void> {
    const oldest = this.#options.now() - BigInt(this.limits.maxAgeMs) * 1_000_000n;
    for (const log of this.#logs.values()) this.dropped += log.expire(oldest);
    this.#shrink();
    return this.#files.run(async () => {
      for (const log of this.#logs.values()) {
        const before = log.count;
        await log.flush().catch((error: unknown) => {
          this.dropped += before - log.count;
          this.#warn(error);
        });
      }
    });
  }

  /** Removes all samples. */
  async clear(): Promise<void> {
    const logs = [...this.#logs.values()];
    this.#logs.clear();
    await this.#files.run(() => Promise.all(logs.map((log) => log.remove()))).catch((error: unknown) => this.#warn(error));
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

  get #unwritten(): number {
    let sum = 0;
    for (const log of this.#logs.values()) sum += log.unwritten;
    return sum;
  }

  #shrink(): void {
    const logs = [...this.#logs.values()];
    let bytes = logs.reduce((sum, log) => sum + log.bytes, 0);
    while (bytes > this.limits.maxBytes) {
      // The topic with the most bytes gives way.
      const fattest = logs.reduce((most, log) => (log.bytes > most.bytes ? log : most));
      const before = fattest.bytes;
      if (before === 0) return;
      this.dropped += fattest.dropOldest();
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

  #create(topic: string): SampleLog | null {
    if (this.#logs.size >= MAX_LOGS) return null;
    // Names of topics may be longer than those of files.
    const name = createHash("sha256").update(topic).digest("hex").slice(0, 32);
    const log = SampleLog.create(join(this.#options.folder, name), topic);
    this.#logs.set(topic, log);
    return log;
  }

  #warn(error: unknown): void {
    this.#warning.warn(
      `samples of 'store_forward' were dropped: ${messageOf(error)}. Make sure that ${this.#options.folder} can be written`,
    );
  }
}
