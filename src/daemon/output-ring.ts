/** A ring grows and forgets in blocks of this many bytes, aligned to multiples of it. */
export const BLOCK_BYTES = 32 * 1024;
/** First allocation of a block: thousands of quiet processes print a few lines each. */
const SMALLEST_BLOCK_BYTES = 1024;
/** A reader who must not miss anything keeps at most so many bytes from being forgotten. */
const MAX_PINNED_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Told how much memory a ring took (positive) or gave back (negative). */
export type MemoryListener = (change: number) => void;

/**
 * The newest output of one process name, by absolute offset: offsets grow for the daemon's life, across runs. At least
 * `backlog` bytes are kept, at most a block more; what a daemon-wide budget takes away comes on top (RingStore).
 */
export class OutputRing {
  /** Oldest first. Block `i` holds the bytes from `(#firstBlock + i) * BLOCK_BYTES` on. */
  readonly #blocks: Buffer<ArrayBuffer>[] = [];
  readonly #onMemory: MemoryListener;
  #firstBlock = 0;
  #backlog: number;
  /** Of the first byte that a reader must not miss; null: there is none. */
  #pin: number | null = null;
  #end = 0;

  constructor(backlog: number, onMemory: MemoryListener = () => {}) {
    this.#backlog = backlog;
    this.#onMemory = onMemory;
  }

  /** Offset of the oldest byte that is still there. */
  get start(): number {
    return this.#firstBlock * BLOCK_BYTES;
  }

  /** Offset after the newest byte. */
  get end(): number {
    return this.#end;
  }

  get blockCount(): number {
    return this.#blocks.length;
  }

  set backlog(bytes: number) {
    this.#backlog = bytes;
    this.#forgetSurplus();
  }

  /** From this offset on nothing is forgotten for the backlog's sake, within MAX_PINNED_BYTES; null lets go. */
  set pin(offset: number | null) {
    this.#pin = offset;
    if (offset === null) this.#forgetSurplus();
  }

  /** Copies `bytes`. */
  append(bytes: Uint8Array): void {
    for (let taken = 0; taken < bytes.length; ) {
      const within = this.#end % BLOCK_BYTES;
      const length = Math.min(bytes.length - taken, BLOCK_BYTES - within);
      this.#roomFor(within, length).set(bytes.subarray(taken, taken + length), within);
      this.#end += length;
      taken += length;
    }
    this.#forgetSurplus();
  }

  /**
   * Bytes from `from` on, at most `max`, and the offset of the first: later than `from` if older bytes are gone. `data`
   * is empty at the end. It may be a view: the ring never changes bytes that it once took.
   */
  read(from: number, max: number): { from: number; data: Buffer<ArrayBuffer> } {
    const first = Math.min(Math.max(from, this.start), this.#end);
    const until = Math.min(first + max, this.#end);
    const pieces: Buffer<ArrayBuffer>[] = [];
    for (let offset = first; offset < until; ) {
      const piece = this.#piece(offset, until);
      pieces.push(piece);
      offset += piece.length;
    }
    const [only, another] = pieces;
    return { from: first, data: only !== undefined && another === undefined ? only : Buffer.concat(pieces) };
  }

  /** Where the last `lines` lines begin. A last line without newline counts; `truncated`: older ones are gone. */
  tail(lines: number): { from: number; truncated: boolean } {
    let missing = lines;
    // A newline at the very end ends the last line, it does not begin another.
    for (let offset = this.#end - 1; offset > this.start; ) {
      const blockStart = Math.max(this.start, Math.floor((offset - 1) / BLOCK_BYTES) * BLOCK_BYTES);
      const block = this.#piece(blockStart, offset);
      for (let index = block.length - 1; index >= 0; index--) {
        if (block[index] === NEWLINE && --missing === 0) return { from: blockStart + index + 1, truncated: false };
      }
      offset = blockStart;
    }
    return { from: this.start, truncated: this.start > 0 };
  }

  /** Gives up the oldest block, unless it is the newest too. */
  forgetOldest(): void {
    const block = this.#blocks.length > 1 ? this.#blocks.shift() : undefined;
    if (block === undefined) return;
    this.#firstBlock += 1;
    this.#onMemory(-block.length);
  }

  /** The part of one block between two offsets; it ends with the block. */
  #piece(from: number, until: number): Buffer<ArrayBuffer> {
    const index = Math.floor(from / BLOCK_BYTES);
    const block = this.#blocks[index - this.#firstBlock];
    if (block === undefined) throw new RangeError(`offset ${from} is outside of the ring (${this.start}..${this.#end})`);
    return block.subarray(from - index * BLOCK_BYTES, Math.min(until - index * BLOCK_BYTES, BLOCK_BYTES));
  }

  /** The newest block, with room for `length` bytes at `within`. */
  #roomFor(within: number, length: number): Buffer<ArrayBuffer> {
    const index = Math.floor(this.#end / BLOCK_BYTES) - this.#firstBlock;
    const current = this.#blocks[index];
    if (current !== undefined && current.length >= within + length) return current;
    let size = current?.length ?? SMALLEST_BLOCK_BYTES;
    while (size < within + length) size *= 2;
    const grown = Buffer.allocUnsafeSlow(size);
    current?.copy(grown, 0, 0, within);
    this.#blocks[index] = grown;
    this.#onMemory(size - (current?.length ?? 0));
    return grown;
  }

  #forgetSurplus(): void {
    const pinned = this.#pin === null ? 0 : Math.min(this.#end - this.#pin, MAX_PINNED_BYTES);
    const kept = Math.max(this.#backlog, pinned);
    while (this.#blocks.length > 1 && this.#end - (this.#firstBlock + 1) * BLOCK_BYTES >= kept) this.forgetOldest();
  }
}
