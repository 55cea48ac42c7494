import { completeLength } from "../../base/text/character-cut.ts";
import type { OutputChunk } from "../../contract/messages.ts";
import { OutputPiece } from "./output-piece.ts";

/** Effect of a chunk: it moved the position, was known already, or left a hole before it. */
export type Acceptance = "advanced" | "known" | "hole";

/**
 * The incoming stream of one process: puts chunks (repeated, overlapping, with gaps) into their order, and keeps output that waits to be sent. Does
 * not depend on windows, time or subscribers.
 */
export class OutputChannel {
  readonly name: string;
  readonly #emit: (piece: OutputPiece) => void;
  #streamId: string | null = null;
  #position: number | null = null;
  /** Bytes from `#position - #pendingBytes` on that were not emitted yet. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #skipped = 0;
  /** Whether bytes are missing before the next output, which may begin in the middle of a line. */
  #torn = false;

  constructor(name: string, emit: (piece: OutputPiece) => void) {
    this.name = name;
    this.#emit = emit;
  }

  get streamId(): string | null {
    return this.#streamId;
  }

  /** Offset after the last byte of the contiguous stream, null until the live end is known. */
  get position(): number | null {
    return this.#position;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get hasPending(): boolean {
    return this.#pendingBytes > 0 || this.#skipped > 0;
  }

  accept(chunk: OutputChunk): Acceptance {
    if (this.#streamId !== null && this.#streamId !== chunk.stream_id) this.restart(chunk.stream_id);
    this.#streamId = chunk.stream_id;
    // The first chunk has the offset of the live end; usually it is the empty anchor.
    this.#position ??= chunk.offset;
    const end = chunk.offset + (chunk.gap > 0 ? chunk.gap : chunk.data.length);
    if (chunk.offset > this.#position) return "hole";
    if (end <= this.#position) return "known";
    if (chunk.gap > 0) this.declareLost(end);
    else this.#append(chunk.data.subarray(this.#position - chunk.offset), end);
    return "advanced";
  }

  /** Gives up on everything before `offset`: subscribers get the number of bytes they miss. */
  declareLost(offset: number): void {
    if (this.#position === null || offset <= this.#position) return;
    if (this.#pendingBytes > 0) this.#emitPending("everything");
    this.#skipped += offset - this.#position;
    this.#position = offset;
  }

  /** Begins the stream of another daemon of the host, whose output begins at `from`. */
  restart(streamId: string, from = 0): void {
    this.#emitPending("everything");
    this.#streamId = streamId;
    this.#position = from;
  }

  /** Emits pending output, except a character of which bytes are still to come. */
  flush(): void {
    this.#emitPending("whole characters");
  }

  #append(data: Uint8Array, end: number): void {
    this.#pending.push(data);
    this.#pendingBytes += data.length;
    this.#position = end;
  }

  #emitPending(extent: "whole characters" | "everything"): void {
    if (!this.hasPending || this.#streamId === null || this.#position === null) return;
    const [first] = this.#pending;
    const bytes = this.#pending.length === 1 && first ? first : Buffer.concat(this.#pending);
    const length = extent === "everything" ? bytes.length : completeLength(bytes);
    if (length === 0 && this.#skipped === 0) return;
    const rest = bytes.subarray(length);
    const skipped = this.#skipped;
    this.#pending = rest.length > 0 ? [rest] : [];
    this.#pendingBytes = rest.length;
    this.#skipped = 0;
    const offset = this.#position - rest.length;
    const piece = new OutputPiece({ name: this.name, streamId: this.#streamId, offset, data: bytes.subarray(0, length), skipped });
    // After lost bytes, output continues at a line start if there is one (docs/design/wire-rules.md, "Output").
    this.#torn ||= skipped > 0;
    this.#emit(this.#torn ? piece.fromLineStart() : piece);
    if (length > 0) this.#torn = false;
  }
}
