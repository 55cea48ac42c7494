import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import { completeLength } from "../../base/text/character-cut.ts";
import type { KernelTimes } from "../handover/kernel-times.ts";
import { OutputTimes, outputTimesState } from "./output-times.ts";

/** Maximum length of a UTF-8 character, bytes. */
const MAX_CHARACTER_BYTES = 4;
/** A ring grows and drops output in blocks of this many bytes, aligned to multiples of it. */
export const BLOCK_BYTES = 32 * 1024;
/** Size of the first allocation of the first block, bytes: thousands of quiet processes print a few lines each. */
const MIN_BLOCK_BYTES = 1024;
/** Maximum number of bytes that a lossless reader can keep from being dropped. */
const MAX_PINNED_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A ring of a daemon that replaces its program; its blocks are handed over beside it. */
export const ringState = z.object({
  backlog: z.int().min(0),
  origin: z.int().min(0),
  first_block: z.int().min(0),
  end: z.int().min(0),
  blocks: z.int().min(0),
  /** Offset of each block in the file of the blocks; null: it is handed over as bytes. Version 1 has none: all are bytes. */
  places: z.array(z.int().min(0).nullable()).optional(),
  times: outputTimesState,
});
export type RingState = z.infer<typeof ringState>;

interface TakenRing extends RingMemory {
  readonly blocks: readonly Buffer<ArrayBuffer>[];
  readonly times: KernelTimes;
}

/** Where the memory of whole blocks comes from. */
export interface BlockSource {
  /** Returns a block of BLOCK_BYTES with any content. */
  allocate(): Buffer<ArrayBuffer>;
  /** Takes any block that a ring does not need any more, once. */
  release(block: Buffer<ArrayBuffer>): void;
  /** Offset of a block in the file that is handed over; null: it is not in the file. */
  placeOf(block: Buffer<ArrayBuffer>): number | null;
}

/** Blocks that are freed when nothing refers to them any more. */
export const heapBlocks: BlockSource = {
  allocate: () => Buffer.allocUnsafeSlow(BLOCK_BYTES),
  release: () => {},
  placeOf: () => null,
};

interface RingMemory {
  readonly onMemory: MemoryListener;
  readonly source: BlockSource;
}

/** Receives a change of the memory that a ring uses, bytes: positive or negative. */
export type MemoryListener = (change: number) => void;

/**
 * The newest output of one process name, by absolute offset: offsets grow for the daemon's life, across runs. At least `backlog` bytes are
 * kept, at most a block more; a daemon-wide budget may drop more (RingStore).
 */
export class OutputRing {
  /** Blocks, oldest first. Block `i` holds the bytes from `(#firstBlock + i) * BLOCK_BYTES` on. */
  readonly #blocks: Buffer<ArrayBuffer>[] = [];
  readonly #onMemory: MemoryListener;
  readonly #source: BlockSource;
  /** The block dropped last: a flood reuses the same memory. */
  #spare: Buffer<ArrayBuffer> | null = null;
  readonly #times: OutputTimes;
  #firstBlock: number;
  #backlog: number;
  /** Offset of the first byte that a reader must not miss; null: there is none. */
  #pin: number | null = null;
  /** Offset of the first byte that it ever had. */
  readonly #origin: number;
  #end: number;

  constructor(backlog: number, memory: Partial<RingMemory> = {}, origin = 0, times = new OutputTimes()) {
    this.#backlog = backlog;
    this.#onMemory = memory.onMemory ?? (() => {});
    this.#source = memory.source ?? heapBlocks;
    this.#origin = origin;
    this.#end = origin;
    this.#firstBlock = Math.floor(origin / BLOCK_BYTES);
    this.#times = times;
  }

  /** The ring of the program before this one, with its blocks, which are not copied. Throws `conflict` if they do not fit together. */
  static take(state: RingState, { blocks, times, ...memory }: TakenRing): OutputRing {
    const ring = new OutputRing(state.backlog, memory, state.origin, OutputTimes.take(state.times, times));
    ring.#end = state.end;
    ring.#firstBlock = state.first_block;
    ring.#blocks.push(...blocks);
    const held = blocks.reduce((sum, { length }) => sum + length, 0);
    const needed = state.end - state.first_block * BLOCK_BYTES;
    const isWhole = blocks.length === state.blocks && blocks.slice(0, -1).every(({ length }) => length === BLOCK_BYTES);
    if (!isWhole || ring.start > state.end || (state.end > ring.start && held < needed))
      throw new MgrError("conflict", "the output of a process was handed over incompletely");
    memory.onMemory(held);
    return ring;
  }

  /** `blocks` are the ring's own memory, which must not change until they are copied. */
  handOver(times: KernelTimes): { state: RingState; blocks: readonly Buffer<ArrayBuffer>[] } {
    const state = {
      backlog: this.#backlog,
      origin: this.#origin,
      first_block: this.#firstBlock,
      end: this.#end,
      blocks: this.#blocks.length,
      places: this.#blocks.map((block) => this.#source.placeOf(block)),
      times: this.#times.handOver(times),
    };
    return { state, blocks: this.#blocks };
  }

  /** Offset of the oldest byte that is still there. */
  get start(): number {
    return Math.max(this.#origin, this.#firstBlock * BLOCK_BYTES);
  }

  /** Offset after the newest byte. */
  get end(): number {
    return this.#end;
  }

  /** Offset after the newest whole character: earlier than `end` while bytes of a UTF-8 sequence are still to come. */
  get characterEnd(): number {
    const { from, data } = this.read(this.#end - MAX_CHARACTER_BYTES, MAX_CHARACTER_BYTES);
    return from + completeLength(data);
  }

  get blockCount(): number {
    return this.#blocks.length;
  }

  /** Minimum number of bytes that are kept. */
  get backlog(): number {
    return this.#backlog;
  }

  set backlog(bytes: number) {
    this.#backlog = bytes;
    this.#forgetSurplus();
    this.#forgetSpare();
  }

  /** Keeps all output from this offset on, within MAX_PINNED_BYTES; null: keeps none for a reader. */
  set pin(offset: number | null) {
    this.#pin = offset;
    if (offset === null) this.#forgetSurplus();
  }

  /** Copies `bytes`, which were written at `time` (monotonic, milliseconds). */
  append(bytes: Uint8Array, time = performance.now()): void {
    if (bytes.length > 0) this.#times.note(this.#end, time);
    for (let taken = 0; taken < bytes.length; ) {
      const within = this.#end % BLOCK_BYTES;
      const length = Math.min(bytes.length - taken, BLOCK_BYTES - within);
      this.#roomFor(within, length).set(bytes.subarray(taken, taken + length), within);
      this.#end += length;
      taken += length;
    }
    this.#forgetSurplus();
  }

  /** A copy of the bytes from `from` on, at most `max`, and the offset of the first: later than `from` if older ones are gone. */
  read(from: number, max: number): { from: number; data: Buffer<ArrayBuffer> } {
    const first = Math.min(Math.max(from, this.start), this.#end);
    const data = Buffer.allocUnsafe(Math.min(max, this.#end - first));
    this.copy(first, data);
    return { from: first, data };
  }

  /** Fills `target` with the bytes from `from` on, which has to be in the ring; returns how many there were. */
  copy(from: number, target: Buffer): number {
    const length = Math.min(target.length, this.#end - from);
    for (let copied = 0; copied < length; ) copied += this.#piece(from + copied, from + length).copy(target, copied);
    return length;
  }

  /**
   * Offset at which the last `lines` lines begin, counting those of the last `maxAgeMs` milliseconds only. A last line without newline
   * counts; `truncated`: older lines were dropped.
   */
  tail(lines: number, maxAgeMs?: number): { from: number; truncated: boolean } {
    const tail = this.#lastLines(lines);
    if (maxAgeMs === undefined) return tail;
    const youngest = this.since(maxAgeMs);
    return youngest > tail.from ? { from: youngest, truncated: false } : tail;
  }

  /** Offset where the output of the last `ageMs` milliseconds begins, evicted or not: none of it is left out, a little before it may be included. */
  since(ageMs: number): number {
    return this.#times.offsetAt(performance.now() - ageMs) ?? this.#end;
  }

  /** Ages of the output from an offset on, oldest first: each, in milliseconds, is valid up to the next offset. */
  ages(from: number): { offset: number; age_ms: number }[] {
    const now = performance.now();
    return this.#times.from(from).map(({ offset, time }) => ({ offset, age_ms: Math.max(0, now - time) }));
  }

  #lastLines(lines: number): { from: number; truncated: boolean } {
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
    return { from: this.start, truncated: this.start > this.#origin };
  }

  /** Drops the oldest block, unless it is the only one. */
  forgetOldest(): void {
    this.#forgetSpare();
    const block = this.#shift();
    if (block !== undefined) this.#free(block);
  }

  /** The bytes between two offsets, up to the end of the first one's block. */
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
    if (current === undefined && index > 0) return this.#addBlock();
    let size = current?.length ?? MIN_BLOCK_BYTES;
    while (size < within + length) size *= 2;
    const grown = size === BLOCK_BYTES ? this.#source.allocate() : Buffer.allocUnsafeSlow(size);
    current?.copy(grown, 0, 0, within);
    this.#blocks[index] = grown;
    this.#onMemory(size - (current?.length ?? 0));
    return grown;
  }

  /** Adds a whole block: a process that filled the first one is not quiet. */
  #addBlock(): Buffer<ArrayBuffer> {
    const spare = this.#spare;
    const block = spare ?? this.#source.allocate();
    this.#spare = null;
    this.#blocks.push(block);
    if (spare === null) this.#onMemory(BLOCK_BYTES);
    return block;
  }

  #forgetSurplus(): void {
    const pinned = this.#pin === null ? 0 : Math.min(this.#end - this.#pin, MAX_PINNED_BYTES);
    const kept = Math.max(this.#backlog, pinned);
    while (this.#end - (this.#firstBlock + 1) * BLOCK_BYTES >= kept) {
      const block = this.#shift();
      if (block === undefined) return;
      this.#forgetSpare();
      this.#spare = block;
    }
  }

  #forgetSpare(): void {
    if (this.#spare !== null) this.#free(this.#spare);
    this.#spare = null;
  }

  #free(block: Buffer<ArrayBuffer>): void {
    this.#source.release(block);
    this.#onMemory(-block.length);
  }

  #shift(): Buffer<ArrayBuffer> | undefined {
    const block = this.#blocks.length > 1 ? this.#blocks.shift() : undefined;
    if (block !== undefined) this.#firstBlock += 1;
    return block;
  }
}
