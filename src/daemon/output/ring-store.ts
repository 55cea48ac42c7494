import { totalmem } from "node:os";
import { z } from "zod";
import type { KernelTimes } from "../handover/kernel-times.ts";
import { BLOCK_BYTES, type BlockSource, heapBlocks, OutputRing, type RingState, ringState } from "./output-ring.ts";

/** Default memory for the output of all processes of a daemon, bytes: at most an eighth of the machine's. */
const DEFAULT_RING_BUDGET = Math.min(512 * 1024 * 1024, Math.floor(totalmem() / 8));
/** Share that is freed beyond what is needed, so that a flood does not search for the largest ring at each block. */
const SLACK = 1 / 64;

/** Output of earlier daemons. */
export interface RestoredOutput {
  readonly name: string;
  readonly data: Buffer;
  /** Time of the last write: monotonic, milliseconds. */
  readonly time: number;
}

/** All rings of a daemon that replaces its program. */
export const ringsState = z.object({ origin: z.int().min(0), rings: z.array(z.tuple([z.string(), ringState])) });
export type RingsState = z.infer<typeof ringsState>;

interface TakenBlocks {
  readonly shared: ReadonlyMap<number, Uint8Array>;
  readonly bytes: Readonly<Record<string, Uint8Array>>;
  readonly times: KernelTimes;
}

/** The offsets of all blocks that are in the file. */
export function placesOf({ rings }: RingsState): number[] {
  return rings.flatMap(([, { places = [] }]) => places).filter((place) => place !== null);
}

/** Rings of all process names, within one budget: the excess is dropped from the oldest output of the largest ring. */
export class RingStore {
  readonly #rings = new Map<string, OutputRing>();
  readonly #budget: number;
  /** Offset at which the output of this daemon begins in every ring; output of earlier daemons is before it. */
  #origin = 0;
  #bytes = 0;
  readonly #memory: { readonly onMemory: (change: number) => void; readonly source: BlockSource };

  constructor(budget: number = DEFAULT_RING_BUDGET, source: BlockSource = heapBlocks) {
    this.#budget = budget;
    this.#memory = { onMemory: (change) => this.#account(change), source };
  }

  /** Memory used by all rings, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get origin(): number {
    return this.#origin;
  }

  /** Adds the output of earlier daemons, before any other ring is opened. */
  restore(outputs: readonly RestoredOutput[]): void {
    const longest = Math.max(0, ...outputs.map(({ data }) => data.length));
    this.#origin = Math.ceil(longest / BLOCK_BYTES) * BLOCK_BYTES;
    for (const { name, data, time } of outputs) {
      const ring = new OutputRing(data.length, this.#memory, this.#origin - data.length);
      this.#rings.set(name, ring);
      ring.append(data, time);
    }
  }

  /**
   * Takes the rings of the program before this one, before any other ring is opened: `shared` are their blocks in the file, by offset, `bytes` the
   * others. Throws `conflict` if they are incomplete.
   */
  take({ origin, rings }: RingsState, { shared, bytes, times }: TakenBlocks): void {
    this.#origin = origin;
    for (const [name, state] of rings) {
      const block = (index: number) => {
        const place = state.places?.[index] ?? null;
        return place === null ? bytes[blockName(name, index)] : shared.get(place);
      };
      const blocks = Array.from({ length: state.blocks }, (_, index) => block(index)).filter(isOwnMemory);
      this.#rings.set(name, OutputRing.take(state, { blocks, times, ...this.#memory }));
    }
  }

  /** `bytes`: the blocks that are not in the file, which must not change until they are copied. */
  handOver(times: KernelTimes): { state: RingsState; bytes: Record<string, Uint8Array> } {
    const rings: [string, RingState][] = [];
    const bytes: Record<string, Uint8Array> = {};
    for (const [name, ring] of this.#rings) {
      const { state, blocks } = ring.handOver(times);
      rings.push([name, state]);
      for (const [index, block] of blocks.entries()) if (state.places?.[index] === null) bytes[blockName(name, index)] = block;
    }
    return { state: { origin: this.#origin, rings }, bytes };
  }

  find(name: string): OutputRing | undefined {
    return this.#rings.get(name);
  }

  /** The offset after the newest byte of each ring, by name. */
  *ends(): Generator<[name: string, end: number]> {
    for (const [name, { end }] of this.#rings) yield [name, end];
  }

  /** Returns the ring of `name`, created if it is missing; from now on it keeps `backlog` bytes. */
  open(name: string, backlog: number): OutputRing {
    const existing = this.#rings.get(name);
    if (existing !== undefined) {
      existing.backlog = backlog;
      return existing;
    }
    const ring = new OutputRing(backlog, this.#memory, this.#origin);
    this.#rings.set(name, ring);
    return ring;
  }

  #account(change: number): void {
    this.#bytes += change;
    if (change <= 0 || this.#bytes <= this.#budget) return;
    const target = this.#budget * (1 - SLACK);
    while (this.#bytes > target) {
      const [largest, second] = this.#twoLargest();
      // Only the newest blocks are left, which stay.
      if (largest === undefined || largest.blockCount < 2) return;
      const floor = Math.max(1, second?.blockCount ?? 1);
      do largest.forgetOldest();
      while (this.#bytes > target && largest.blockCount > floor);
    }
  }

  #twoLargest(): (OutputRing | undefined)[] {
    let largest: OutputRing | undefined;
    let second: OutputRing | undefined;
    for (const ring of this.#rings.values()) {
      if (ring.blockCount > (largest?.blockCount ?? 0)) [largest, second] = [ring, largest];
      else if (ring.blockCount > (second?.blockCount ?? 0)) second = ring;
    }
    return [largest, second];
  }
}

const blockName = (name: string, index: number): string => `ring/${index}/${name}`;

const isOwnMemory = (bytes: Uint8Array | undefined): bytes is Buffer<ArrayBuffer> =>
  Buffer.isBuffer(bytes) && bytes.buffer instanceof ArrayBuffer;
