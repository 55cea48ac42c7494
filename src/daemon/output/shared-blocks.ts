import { closeSync, fstatSync } from "node:fs";
import { MgrError, messageOf } from "../../base/errors.ts";
import { allocateInFile, freeInFile, mapFile, openMemoryFile } from "../native/memory-file.ts";
import { BLOCK_BYTES, type BlockSource } from "./output-ring.ts";

/** The file grows by segments of this many bytes: a mapping for each block would exceed what the kernel allows (vm.max_map_count, 65,530). */
const SEGMENT_BYTES = 1024 * 1024;
/** Maximum number of released blocks that keep their memory for the next ring: 16 MiB. */
const MAX_WARM_BLOCKS = 512;

/**
 * Memory for the blocks of rings in one file in memory (memfd). A program that replaces this one gets the descriptor and finds the blocks where they
 * were, without a copy. Where the file cannot grow, blocks come from the heap, and are copied when the program is replaced.
 */
export class SharedBlocks implements BlockSource {
  readonly #log: (msg: string) => void;
  /** Null: nothing has been allocated yet, or there is no such file. */
  #fd: number | null = null;
  /** Index of each mapped segment of the file, in the order of their offsets. */
  readonly #segments = new Map<ArrayBuffer, number>();
  /** Free blocks that have their memory. */
  readonly #warm: Buffer<ArrayBuffer>[] = [];
  /** Free blocks whose memory was returned to the system. */
  readonly #cold: Buffer<ArrayBuffer>[] = [];
  #isFull = false;

  constructor(log: (msg: string) => void) {
    this.#log = log;
  }

  /** The blocks of the program before this one; those that are not claimed are free. */
  static take(fd: number, log: (msg: string) => void): SharedBlocks {
    const shared = new SharedBlocks(log);
    shared.#fd = fd;
    const { size } = fstatSync(fd);
    if (size % SEGMENT_BYTES !== 0)
      throw new MgrError("conflict", `the output was handed over in a file of ${size} bytes, which is not a multiple of ${SEGMENT_BYTES}`);
    for (let at = 0; at < size; at += SEGMENT_BYTES) shared.#cold.push(...shared.#mapped(fd, at));
    return shared;
  }

  /** The descriptor of the file; null: there is none. */
  get descriptor(): number | null {
    return this.#fd;
  }

  allocate(): Buffer<ArrayBuffer> {
    return this.#warm.pop() ?? this.#allocateCold() ?? this.#allocateNew() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  release(block: Buffer<ArrayBuffer>): void {
    const place = this.placeOf(block);
    if (place === null || this.#fd === null) return;
    const isCold = this.#warm.length >= MAX_WARM_BLOCKS && freeInFile(this.#fd, place, BLOCK_BYTES);
    (isCold ? this.#cold : this.#warm).push(block);
  }

  placeOf(block: Buffer<ArrayBuffer>): number | null {
    const segment = this.#segments.get(block.buffer);
    return segment === undefined ? null : segment * SEGMENT_BYTES + block.byteOffset;
  }

  /**
   * The blocks at these offsets of the file, which are no longer free; the memory of the others is returned to the system. Throws `conflict` for one
   * that is not free.
   */
  claim(places: readonly number[]): Map<number, Buffer<ArrayBuffer>> {
    const free = new Map(this.#cold.splice(0).map((block) => [this.placeOf(block), block]));
    const claimed = new Map<number, Buffer<ArrayBuffer>>();
    for (const place of places) {
      const block = free.get(place);
      if (block === undefined) throw new MgrError("conflict", `the output was handed over with a block at ${place}, where there is none`);
      free.delete(place);
      claimed.set(place, block);
    }
    for (const [place, block] of free) {
      if (place !== null && this.#fd !== null) freeInFile(this.#fd, place, BLOCK_BYTES);
      this.#cold.push(block);
    }
    return claimed;
  }

  /** Closes the file. Blocks in use stay as they are. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    this.#isFull = true;
    this.#warm.length = 0;
    this.#cold.length = 0;
  }

  #allocateCold(): Buffer<ArrayBuffer> | undefined {
    const block = this.#cold.pop();
    const place = block === undefined ? null : this.placeOf(block);
    if (block === undefined || place === null || this.#fd === null) return undefined;
    if (allocateInFile(this.#fd, place, BLOCK_BYTES)) return block;
    this.#cold.push(block);
    return undefined;
  }

  #allocateNew(): Buffer<ArrayBuffer> | undefined {
    if (this.#isFull) return undefined;
    try {
      this.#fd ??= openMemoryFile("mgr-output");
      const at = this.#segments.size * SEGMENT_BYTES;
      if (!allocateInFile(this.#fd, at, SEGMENT_BYTES)) throw new MgrError("internal", "there is no memory, or RLIMIT_FSIZE is reached");
      this.#warm.push(...this.#mapped(this.#fd, at));
    } catch (error) {
      this.#isFull = true;
      this.#log(`more output is kept in the heap, and an upgrade copies it: ${messageOf(error)}`);
    }
    return this.#warm.pop();
  }

  #mapped(fd: number, at: number): Buffer<ArrayBuffer>[] {
    const segment = mapFile(fd, at, SEGMENT_BYTES);
    this.#segments.set(segment, at / SEGMENT_BYTES);
    return Array.from({ length: SEGMENT_BYTES / BLOCK_BYTES }, (_, index) => Buffer.from(segment, index * BLOCK_BYTES, BLOCK_BYTES));
  }
}
