import { Publisher } from "../base/publisher.ts";
import type { LogEntry, LogLevel, StateChange, UserAction } from "../protocol/resources/resources.ts";
import { LOG_LEVELS } from "../protocol/resources/resources.ts";
import { formatTime } from "../protocol/time.ts";

/** Whether `level` is at least `minimum`. */
export function levelAtLeast(level: LogLevel, minimum: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimum);
}

export interface LogInput {
  level: LogLevel;
  source: string;
  msg: string;
  change?: StateChange;
  action?: UserAction;
  /** Processes and groups that the entry concerns, if neither `change` nor `action` names them. */
  about?: readonly string[];
}

export interface LogBookOptions {
  /** Maximum number of entries kept in memory. */
  capacity: number;
  now: () => number;
  /** Highest id that an earlier manager persisted, 0 if none: ids grow across restarts. */
  lastId?: number;
  /** Entries of earlier managers, oldest first. */
  earlier?: readonly LogEntry[];
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
    const earlier = options.earlier ?? [];
    const lastId = Math.max(options.lastId ?? 0, earlier.at(-1)?.id ?? 0);
    // Ids must grow across restarts, even after a crash that saved none, so the clock is used (docs/design/runtime-invariants.md, "Frames out").
    this.#nextId = Math.max(lastId + 1, Math.floor(options.now()) * 1_000);
    for (const entry of earlier) this.#keep(entry);
  }

  get lastId(): number {
    return this.#nextId - 1;
  }

  /** The oldest retained entry. */
  get oldest(): LogEntry | undefined {
    return this.#entries[this.#count > this.#capacity ? this.#count % this.#capacity : 0];
  }

  append({ level, source, msg, change, action, about }: LogInput): LogEntry {
    const said = {
      ...(change ? { change } : {}),
      ...(action ? { action } : {}),
      ...(about && about.length > 0 ? { about: [...about] } : {}),
    };
    const entry: LogEntry = { id: this.#nextId++, ts: formatTime(this.#now()), level, source, msg, ...said };
    this.#keep(entry);
    this.#publisher.publish(entry);
    return entry;
  }

  debug(msg: string, about?: readonly string[]): void {
    this.append({ level: "debug", source: "manager", msg, ...(about ? { about } : {}) });
  }

  info(msg: string, about?: readonly string[]): void {
    this.append({ level: "info", source: "manager", msg, ...(about ? { about } : {}) });
  }

  warn(msg: string, about?: readonly string[]): void {
    this.append({ level: "warning", source: "manager", msg, ...(about ? { about } : {}) });
  }

  error(msg: string, about?: readonly string[]): void {
    this.append({ level: "error", source: "manager", msg, ...(about ? { about } : {}) });
  }

  #keep(entry: LogEntry): void {
    this.#entries[this.#count++ % this.#capacity] = entry;
  }

  /** Retained entries of at least `level` and with ids below `before`, oldest first; with `limit` the last `limit` of them. */
  entries({ level: minimum = "debug", limit, before }: { level?: LogLevel; limit?: number; before?: number } = {}): LogEntry[] {
    const end = before ?? Number.POSITIVE_INFINITY;
    return this.#last(limit, (entry) => entry.id < end && levelAtLeast(entry.level, minimum));
  }

  /** Retained entries, the newest first. */
  *newestFirst(): Generator<LogEntry> {
    const oldest = Math.max(0, this.#count - this.#capacity);
    for (let index = this.#count - 1; index >= oldest; index--) {
      const entry = this.#entries[index % this.#capacity];
      if (entry) yield entry;
    }
  }

  /** The last `limit` changes of state of a process, oldest first. */
  changesOf(process: string, limit: number) {
    return this.#last(limit, ({ change }) => change?.process === process).flatMap(({ ts, change }) => {
      if (!change) return [];
      const { from, to, by, reason } = change;
      return [{ ts, from, to, by, reason }];
    });
  }

  #last(limit = Number.POSITIVE_INFINITY, fits: (entry: LogEntry) => boolean): LogEntry[] {
    const found: LogEntry[] = [];
    if (limit <= 0) return found;
    for (const entry of this.newestFirst()) {
      if (fits(entry)) found.push(entry);
      if (found.length >= limit) break;
    }
    return found.reverse();
  }

  /** Subscribes to new entries. An error thrown by a listener is uncaught. Returns the function that unsubscribes. */
  subscribe(listener: (entry: LogEntry) => void): () => void {
    return this.#publisher.subscribe(listener);
  }
}
