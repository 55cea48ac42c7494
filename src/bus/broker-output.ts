/** Sizes of blocks: an answer of a few bytes must not hold much, and a flood must not be many writes. */
const FIRST_BLOCK = 1_024;
const LARGEST_BLOCK = 64 * 1024;
/** Payloads of this size are sent from where they are instead of being copied into a block. */
const BY_REFERENCE = 16 * 1024;

/** Bytes on their way to one client, joined into blocks: the number of writes costs more than their size. */
export class BrokerOutput {
  bytes = 0;
  #full: Buffer[] = [];
  #block: Buffer | null = null;
  #used = 0;
  #nextSize = FIRST_BLOCK;

  /** Control text: latin1 characters stand for the bytes of the wire. */
  text(text: string): void {
    const block = this.#room(text.length);
    block.write(text, this.#used, "latin1");
    this.#used += text.length;
    this.bytes += text.length;
  }

  /** Copies, except when `bytes` is large: then it must not change any more. */
  payload(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (bytes.length >= BY_REFERENCE) {
      this.#seal();
      this.#full.push(bytes);
      return;
    }
    const block = this.#room(bytes.length);
    block.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** Everything, in order; the output is empty afterwards. */
  take(): Buffer[] {
    this.#seal();
    const blocks = this.#full;
    this.#full = [];
    this.#nextSize = FIRST_BLOCK;
    this.bytes = 0;
    return blocks;
  }

  #room(length: number): Buffer {
    if (this.#block && this.#block.length - this.#used >= length) return this.#block;
    this.#seal();
    const block = Buffer.allocUnsafe(Math.max(length, this.#nextSize));
    this.#nextSize = Math.min(LARGEST_BLOCK, this.#nextSize * 4);
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
