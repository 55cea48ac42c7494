/**
 * The bytes of one message, with the CR LF behind them, in the buffers in which they were received. This object is valid only during the
 * call that it is passed to; the buffers do not change any more and may be kept.
 */
export class BorrowedMessage {
  /** Contains the message from `start` on; the whole message, unless there is a `rest`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  length = 0;
  rest: readonly Buffer[] | null = null;

  /** Begins another message and returns it. */
  of(bytes: Buffer, start: number, length: number, rest: readonly Buffer[] | null = null): this {
    this.bytes = bytes;
    this.start = start;
    this.length = length;
    this.rest = rest;
    return this;
  }

  /** Returns one buffer that may be kept. */
  whole(): Buffer {
    const first = this.rest === null ? this.bytes.subarray(this.start, this.start + this.length) : this.bytes.subarray(this.start);
    return this.rest === null ? first : Buffer.concat([first, ...this.rest]);
  }

  /** Copies a message without a rest to `target`. */
  copyTo(target: Buffer, at: number): void {
    this.bytes.copy(target, at, this.start, this.start + this.length);
  }
}
