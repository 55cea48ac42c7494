import { Observable, type Subscriber, share } from "rxjs";
import { type LogBook, levelAtLeast } from "../log/log-book.ts";
import { encodeFrame } from "../protocol/frames/encode.ts";
import { LOG_LEVELS, type LogEntry, type LogLevel } from "../protocol/resources/resources.ts";
import type { EncodedFrame } from "./event-batch.ts";

/** Maximum number of entries in one frame: a single turn may log thousands. */
const MAX_BATCH_ENTRIES = 256;

interface Selection {
  readonly level: LogLevel;
  readonly select: (entries: readonly LogEntry[]) => LogEntry[];
  readonly subscriber: Subscriber<EncodedFrame>;
}

/**
 * The manager's log as `log_batch` frames: one stream for each minimum level, shared by all connections that have it.
 * Entries of one turn share a frame.
 */
export class LogStreams {
  readonly #book: LogBook;
  readonly #streams: Record<LogLevel, Observable<EncodedFrame>>;
  readonly #listeners = new Map<LogLevel, Subscriber<EncodedFrame>>();
  readonly #selections = new Set<Selection>();
  #pending: LogEntry[] = [];
  #unsubscribe: (() => void) | null = null;

  constructor(book: LogBook) {
    this.#book = book;
    const open = (level: LogLevel) => new Observable<EncodedFrame>((subscriber) => this.#listen(level, subscriber)).pipe(share());
    this.#streams = { debug: open("debug"), info: open("info"), warning: open("warning"), error: open("error") };
  }

  /** Entries of at least `level` from now on. */
  from(level: LogLevel): Observable<EncodedFrame> {
    return new Observable((subscriber) => {
      // Pending entries were logged before this subscription.
      this.flush();
      return this.#streams[level].subscribe(subscriber);
    });
  }

  /** The same for connections that see some entries only: `select` returns what it may see of them. */
  selected(level: LogLevel, select: Selection["select"]): Observable<EncodedFrame> {
    return new Observable((subscriber) => {
      this.flush();
      const selection = { level, select, subscriber };
      this.#selections.add(selection);
      return this.#follow(() => this.#selections.delete(selection));
    });
  }

  /** Sends the entries of this turn now. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (let start = 0; start < pending.length; start += MAX_BATCH_ENTRIES) this.#send(pending.slice(start, start + MAX_BATCH_ENTRIES));
  }

  #listen(level: LogLevel, subscriber: Subscriber<EncodedFrame>): () => void {
    this.#listeners.set(level, subscriber);
    return this.#follow(() => this.#listeners.delete(level));
  }

  /** Follows the log until the last listener has ended. */
  #follow(end: () => void): () => void {
    this.#unsubscribe ??= this.#book.subscribe((entry) => this.#append(entry));
    return () => {
      end();
      if (this.#listeners.size + this.#selections.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = null;
      this.#pending = [];
    };
  }

  #append(entry: LogEntry): void {
    if (this.#pending.length === 0) queueMicrotask(() => this.flush());
    this.#pending.push(entry);
  }

  #send(entries: LogEntry[]): void {
    const heardAt = (level: LogLevel) => entries.filter((entry) => levelAtLeast(entry.level, level));
    for (const level of LOG_LEVELS) {
      const listener = this.#listeners.get(level);
      if (listener !== undefined) sendEntries(listener, heardAt(level));
    }
    for (const { level, select, subscriber } of this.#selections) sendEntries(subscriber, select(heardAt(level)));
  }
}

function sendEntries(subscriber: Subscriber<EncodedFrame>, entries: LogEntry[]): void {
  if (entries.length > 0) subscriber.next({ bytes: encodeFrame({ type: "log_batch", entries }), mergeKey: null });
}
