import { visible } from "../../base/text/visible-text.ts";
import { type LogBook, levelAtLeast } from "../../log/log-book.ts";
import type { LogEntry, LogLevel } from "../../protocol/resources/resources.ts";

/** Maximum size of the queue for a reader that stopped reading, bytes. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Retained entries are rendered in pieces of about this size, bytes. */
const PIECE_BYTES = 64 * 1024;

export interface LogStreamOptions {
  readonly book: LogBook;
  readonly level: LogLevel;
  readonly limit: number | undefined;
  readonly follow: boolean;
  /** Called when the reader is too slow: nothing more can be sent to it. */
  readonly onOverflow: () => void;
  readonly onClosed: () => void;
}

/** The text of `/mgr/log`: retained entries, then new ones. Produced only on demand. */
export class LogStream {
  readonly #options: LogStreamOptions;
  readonly #retained: LogEntry[];
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Whether the stream accepts no further entries. */
  #isEnded: boolean;
  /** Whether the reader has disconnected. */
  #isClosed = false;
  #wake: (() => void) | null = null;
  #unsubscribe: (() => void) | null = null;

  constructor(options: LogStreamOptions) {
    const { book, level, limit, follow } = options;
    this.#options = options;
    this.#retained = book.entries(limit === undefined ? { level } : { level, limit }).reverse();
    this.#isEnded = !follow;
    if (follow) this.#unsubscribe = book.subscribe((entry) => this.#receive(entry));
  }

  readable(): ReadableStream<Uint8Array> {
    // Pull-based and without a queue of its own: an eager stream was seen to buffer 105 MB
    // (docs/design/library-defects.md, "HTTP, TLS and WebSocket").
    return new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#close() },
      { highWaterMark: 0 },
    );
  }

  /** Ends the answer normally, after the waiting entries. */
  end(): void {
    this.#isEnded = true;
    this.#unsubscribe?.();
    this.#wake?.();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#retained.length > 0) return controller.enqueue(this.#nextPiece());
    while (this.#waiting.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const line = this.#waiting.shift();
    if (line) {
      this.#waitingBytes -= line.length;
      controller.enqueue(line);
    } else if (!this.#isClosed) {
      this.#close();
      controller.close();
    }
  }

  #nextPiece(): Buffer {
    let piece = "";
    while (piece.length < PIECE_BYTES) {
      const entry = this.#retained.pop();
      if (!entry) break;
      piece += formatLogLine(entry);
    }
    return Buffer.from(piece);
  }

  #receive(entry: LogEntry): void {
    if (!levelAtLeast(entry.level, this.#options.level)) return;
    const line = Buffer.from(formatLogLine(entry));
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#wake?.();
    if (this.#waitingBytes <= MAX_WAITING_BYTES) return;
    this.#close();
    this.#options.onOverflow();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#retained.length = 0;
    this.#waiting.length = 0;
    this.end();
    this.#options.onClosed();
  }
}

/** One line of `/mgr/log`, with its newline. */
export function formatLogLine({ ts, level, source, msg }: LogEntry): string {
  return `${ts} ${level} ${visible(source)}: ${visible(msg)}\n`;
}
