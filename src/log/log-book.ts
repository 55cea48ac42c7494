import { Publisher } from "../base/publisher.ts";
import type { LogEntry, LogLevel } from "../protocol/resources/resources.ts";
import { LOG_LEVELS } from "../protocol/resources/resources.ts";
import { formatTime } from "../protocol/time.ts";

/** Numeric order of levels: an entry passes a minimum level if its number is not lower. */
export function levelAtLeast(level: LogLevel, minimum: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimum);
}

export interface LogInput {
  level: LogLevel;
  source: string;
  msg: string;
}

export interface LogBookOptions {
  /** Entries kept in memory. */
  capacity: number;
  now: () => number;
  /** Highest id that an earlier manager persisted, 0 if none: ids grow across restarts. */
  lastId?: number;
}

/** The manager's log: a ring of entries with growing ids, and its subscribers. */
export class LogBook {
  readonly #entries: (LogEntry | undefined)[];
  // The caller that wrote an entry is not at fault if a listener throws.
  readonly #publisher = new Publisher<LogEntry>((error) =>
    queueMicrotask(() => {
      throw error;
    }),
  );
  readonly #now: () => number;
  readonly #capacity: number;
  #nextId: number;
  #count = 0;

  constructor(options: LogBookOptions) {
    this.#capacity = options.capacity;
    this.#entries = new Array<LogEntry | undefined>(Math.min(options.capacity, 1_024));
    this.#now = options.now;
    // Ids must grow across restarts, even after a crash that saved none: hence the clock (docs/design/runtime-invariants.md, "Frames out").
    this.#nextId = Math.max((options.lastId ?? 0) + 1, Math.floor(options.now()) * 1_000);
  }

  get lastId(): number {
    return this.#nextId - 1;
  }

  append(input: LogInput): LogEntry {
    const entry: LogEntry = { id: this.#nextId++, ts: formatTime(this.#now()), level: input.level, source: input.source, msg: input.msg };
    this.#entries[this.#count++ % this.#capacity] = entry;
    this.#publisher.publish(entry);
    return entry;
  }

  /** Retained entries of at least `level` and with ids below `before`, oldest first; with `limit` the last `limit` of them. */
  entries({ level: minimum = "debug", limit, before }: { level?: LogLevel; limit?: number; before?: number } = {}): LogEntry[] {
    const most = limit ?? Number.POSITIVE_INFINITY;
    const end = before ?? Number.POSITIVE_INFINITY;
    const found: LogEntry[] = [];
    const oldest = Math.max(0, this.#count - this.#capacity);
    for (let index = this.#count - 1; index >= oldest && found.length < most; index--) {
      const entry = this.#entries[index % this.#capacity];
      if (entry && entry.id < end && levelAtLeast(entry.level, minimum)) found.push(entry);
    }
    return found.reverse();
  }

  /** Subscribes to new entries. An error thrown by a listener is uncaught. Returns the function that unsubscribes. */
  subscribe(listener: (entry: LogEntry) => void): () => void {
    return this.#publisher.subscribe(listener);
  }
}
