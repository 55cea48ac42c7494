/** Copies of at most this many bytes are made word by word: a call into the engine costs more. */
const BY_WORDS = 512;

/**
 * The bytes of one message, with the CR LF behind them, where they were received: only lent, for the time of the call that
 * passes them on. The buffers themselves never change any more and may be kept.
 */
export class BorrowedMessage {
  /** Holds the message from `start` on; all of it, unless there is a `rest`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  length = 0;
  rest: readonly Buffer[] | null = null;
  #view: DataView = viewOf(this.bytes);
  #viewed: Buffer = this.bytes;

  /** Begins another message and returns it. */
  of(bytes: Buffer, start: number, length: number, rest: readonly Buffer[] | null = null): this {
    this.bytes = bytes;
    this.start = start;
    this.length = length;
    this.rest = rest;
    return this;
  }

  /** One buffer that may be kept. */
  whole(): Buffer {
    const first = this.rest === null ? this.bytes.subarray(this.start, this.start + this.length) : this.bytes.subarray(this.start);
    return this.rest === null ? first : Buffer.concat([first, ...this.rest]);
  }

  /** Copies a message without a rest to `target`, which `view` shows. */
  copyTo(target: Buffer, view: DataView, at: number): void {
    if (this.length > BY_WORDS) {
      target.set(this.whole(), at);
      return;
    }
    if (this.#viewed !== this.bytes) {
      this.#viewed = this.bytes;
      this.#view = viewOf(this.bytes);
    }
    copyWords(view, at, this.#view, this.start, this.length);
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function copyWords(target: DataView, at: number, source: DataView, from: number, length: number): void {
  let done = 0;
  for (; done + 4 <= length; done += 4) target.setUint32(at + done, source.getUint32(from + done, true), true);
  for (; done < length; done++) target.setUint8(at + done, source.getUint8(from + done));
}
