import type { Clock } from "../../../base/timing/clock.ts";
import type { LogBook } from "../../../log/log-book.ts";

/** Time in which notes are collected for one message, milliseconds. */
const COLLECT_MS = 200;
/** Maximum number of notes in one message, and of characters of all of them; a larger note is dropped. */
const MAX_NOTES = 500;
const MAX_CHARS = 256 * 1024;

/** `time` is in nanoseconds since 1970. */
interface Note<Kind extends string> {
  readonly time: string;
  readonly kind: Kind | "log";
  readonly value: unknown;
}

interface NoteSenderOptions<Kind extends string> {
  readonly clock: Clock;
  readonly log: LogBook;
  readonly isNeeded: () => boolean;
  readonly send: (notes: Note<Kind>[]) => void;
}

/** Sends the manager's log and other notes, such as its calls of services, to the manager's host, a few at a time. */
export class NoteSender<Kind extends string> {
  readonly #options: NoteSenderOptions<Kind>;
  readonly #unsubscribe: () => void;
  #notes: Note<Kind>[] = [];
  #chars = 0;
  #timer: unknown = null;

  constructor(options: NoteSenderOptions<Kind>) {
    this.#options = options;
    this.#unsubscribe = options.log.subscribe(({ level, source, msg }) => this.add("log", { level, source, msg }));
  }

  add(kind: Kind | "log", value: unknown): void {
    const { clock, isNeeded } = this.#options;
    if (!isNeeded()) return;
    const size = JSON.stringify(value ?? null).length;
    if (this.#chars + size > MAX_CHARS || this.#notes.length >= MAX_NOTES) this.#flush();
    if (size > MAX_CHARS) return;
    this.#notes.push({ time: String(BigInt(Math.round(clock.now() * 1_000)) * 1_000n), kind, value });
    this.#chars += size;
    this.#timer ??= clock.setTimeout(() => this.#flush(), COLLECT_MS);
  }

  close(): void {
    this.#unsubscribe();
    this.#flush();
  }

  #flush(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = null;
    const notes = this.#notes;
    this.#notes = [];
    this.#chars = 0;
    if (notes.length > 0) this.#options.send(notes);
  }
}
