import type { BorrowedMessage } from "../borrowed-message.ts";

/** Sizes of blocks, bytes: a short answer should not use much memory, and a flood should not cause many writes. */
const FIRST_BLOCK_BYTES = 1_024;
const MAX_BLOCK_BYTES = 64 * 1024;
/** Messages of at least this many bytes are not copied, so that all subscribers of a large message share its memory. */
const MIN_BY_REFERENCE_BYTES = 16 * 1024;

/** Output for one client, joined into blocks: the number of writes costs more than their size. */
export class BrokerOutput {
  bytes = 0;
  #full: Buffer[] = [];
  #block: Buffer | null = null;
  #used = 0;
  #nextSize = FIRST_BLOCK_BYTES;

  /** Adds control text, whose latin1 characters stand for the bytes of the wire. */
  text(text: string): void {
    const block = this.#room(text.length);
    block.write(text, this.#used, "latin1");
    this.#used += text.length;
    this.bytes += text.length;
  }

  /** Adds control text that is already encoded. */
  bytesOf(header: Buffer): void {
    const block = this.#room(header.length);
    header.copy(block, this.#used);
    this.#used += header.length;
    this.bytes += header.length;
  }

  /** Adds a message; copies it unless it is large. */
  message(message: BorrowedMessage): void {
    const { length, rest } = message;
    this.bytes += length;
    if (rest !== null || length >= MIN_BY_REFERENCE_BYTES) {
      this.#seal();
      if (rest === null) this.#full.push(message.whole());
      else this.#full.push(message.start === 0 ? message.bytes : message.bytes.subarray(message.start), ...rest);
      return;
    }
    const block = this.#room(length);
    message.copyTo(block, this.#used);
    this.#used += length;
  }

  /** Adds whole blocks, which are not copied. */
  blocks(blocks: readonly Buffer[]): void {
    this.#seal();
    for (const block of blocks) {
      this.#full.push(block);
      this.bytes += block.length;
    }
  }

  /** The collected output. */
  held(): readonly Buffer[] {
    this.#seal();
    return this.#full;
  }

  /** Removes and returns the first blocks, of about `limit` bytes at most; without a limit all of them. */
  take(limit = Number.POSITIVE_INFINITY): Buffer[] {
    let count = 0;
    let size = 0;
    while (count < this.#full.length && size < limit) size += (this.#full[count++] as Buffer).length;
    if (count < this.#full.length) {
      this.bytes -= size;
      return this.#full.splice(0, count);
    }
    this.#seal();
    const blocks = this.#full;
    this.#full = [];
    this.#nextSize = FIRST_BLOCK_BYTES;
    this.bytes = 0;
    return blocks;
  }

  /** Removes and returns the first `limit` bytes. */
  takeExactly(limit: number): Buffer[] {
    if (limit >= this.bytes) return this.take();
    this.#seal();
    this.#nextSize = FIRST_BLOCK_BYTES;
    const blocks: Buffer[] = [];
    for (let left = limit; left > 0; ) {
      const [block] = this.#full;
      if (block === undefined) break;
      blocks.push(block.subarray(0, left));
      if (block.length > left) this.#full[0] = block.subarray(left);
      else this.#full.shift();
      left -= block.length;
    }
    this.bytes -= limit;
    return blocks;
  }

  #room(length: number): Buffer {
    if (this.#block && this.#block.length - this.#used >= length) return this.#block;
    this.#seal();
    const block = Buffer.allocUnsafe(Math.max(length, this.#nextSize));
    this.#nextSize = Math.min(MAX_BLOCK_BYTES, this.#nextSize * 4);
    this.#block = block;
    return block;
  }

  #seal(): void {
    if (this.#block && this.#used > 0)
      this.#full.push(this.#used === this.#block.length ? this.#block : this.#block.subarray(0, this.#used));
    this.#block = null;
    this.#used = 0;
  }
}
