import { shortSlotsOf } from "./file-image.ts";
import type { HistoryFile, Piece } from "./history-file.ts";
import { LONG, PERIODS_MS, type RingNumber, SHORT } from "./layout.ts";
import { SlotBlock } from "./slot-block.ts";
import { SlotSummary } from "./slot-summary.ts";

/** Slots of each ring that stay in memory: without a state folder all that is kept, else what the disk does not take. */
const KEPT_SLOTS = [72, 30] as const;
const WAITING_SLOTS = [8, 6] as const;

/** Called with the figures of a slot as `SlotSummary.figures` returns them; they are borrowed. */
export type SlotVisitor = (number: number, figures: Float32Array) => void;

export interface StoreOptions {
  readonly name: string;
  readonly series: number;
  /** A slot waits to be written; null: there is no folder, and slots stay in memory. */
  readonly changed: ((store: SlotStore) => void) | null;
}

/** The complete slots of one process: those that wait to be written, and with them all that are in its file. */
export class SlotStore {
  readonly name: string;
  readonly series: number;
  readonly #changed: StoreOptions["changed"];
  readonly #blocks: [SlotBlock | null, SlotBlock | null] = [null, null];
  /** Nothing in the file is valid after these numbers; null: all is. */
  readonly #discarded: [number | null, number | null] = [null, null];
  readonly #newest: [number, number] = [0, 0];
  #hasWrittenLong = false;

  constructor({ name, series, changed }: StoreOptions) {
    this.name = name;
    this.series = series;
    this.#changed = changed;
  }

  /** Nothing waits to be written. */
  get isSaved(): boolean {
    return this.#changed !== null && this.#blocks.every((block) => block === null) && this.#discarded.every((number) => number === null);
  }

  /** Number of the newest slot since the daemon has started; 0: none. */
  newest(ring: RingNumber): number {
    return this.#newest[ring];
  }

  put(ring: RingNumber, number: number, figures: Float32Array): void {
    const lengths = this.#changed === null ? KEPT_SLOTS : WAITING_SLOTS;
    const block = this.#blocks[ring] ?? new SlotBlock(this.series, lengths[ring]);
    this.#blocks[ring] = block;
    block.put(number, figures);
    this.#newest[ring] = Math.max(this.#newest[ring], number);
    this.#changed?.(this);
  }

  /** Removes what is after `number`: the wall clock was set back. */
  discardAfter(ring: RingNumber, number: number): void {
    this.#blocks[ring]?.discardAfter(number);
    this.#newest[ring] = Math.min(this.#newest[ring], number);
    if (this.#changed === null) return;
    this.#discarded[ring] = Math.min(this.#discarded[ring] ?? number, number);
    this.#changed(this);
  }

  /** Writes what waits. What is put meanwhile waits for the next call. */
  async save(file: HistoryFile): Promise<void> {
    for (const ring of [SHORT, LONG] as const) {
      const discarded = this.#discarded[ring];
      if (discarded === null) continue;
      await file.discardAfter(ring, discarded);
      if (this.#discarded[ring] === discarded) this.#discarded[ring] = null;
    }
    // The first long slot is completed from short ones of the file, which those that wait may overwrite.
    await this.#write(file, LONG);
    await this.#write(file, SHORT);
  }

  /** Passes the slots of a range. `pieces`: what the file has of it. One place a step. */
  *visit(ring: RingNumber, { from, until }: { from: number; until: number }, pieces: readonly Piece[], visitor: SlotVisitor) {
    const last = this.#discarded[ring] ?? Number.POSITIVE_INFINITY;
    const waiting = new Set(this.#blocks[ring]?.numbers());
    for (const { from: first, slots } of pieces) {
      for (let place = 0; place < slots.count; place++) {
        const number = first + place;
        if (number <= last && slots.numberAt(place) === number && !waiting.has(number)) visitor(number, slots.figuresAt(place));
        yield;
      }
    }
    for (const number of waiting) {
      const figures = number >= from && number < until ? this.#blocks[ring]?.get(number) : null;
      if (figures) visitor(number, figures);
    }
  }

  /** Oldest slot in memory; null: none. */
  oldestInMemory(ring: RingNumber): number | null {
    return this.#blocks[ring]?.numbers()[0] ?? null;
  }

  async #write(file: HistoryFile, ring: RingNumber): Promise<void> {
    const block = this.#blocks[ring];
    if (block === null) return;
    const numbers = block.numbers();
    if (ring === LONG) for (const number of numbers) await this.#completeLong(file, number);
    for (const run of consecutive(numbers)) {
      // A copy: slots may be replaced while they are written.
      const slots = run.map((number) => Uint8Array.from(block.bytes(number)));
      await file.write(ring, run[0] ?? 0, Buffer.concat(slots));
      for (const [index, number] of run.entries())
        if (Buffer.compare(slots[index] ?? Buffer.alloc(0), block.bytes(number)) === 0) block.remove(number);
    }
    if (block.numbers().length === 0) this.#blocks[ring] = null;
  }

  /** The first long slot may have begun before this daemon: it is made again from its short ones. */
  async #completeLong(file: HistoryFile, number: number): Promise<void> {
    if (this.#hasWrittenLong) return;
    this.#hasWrittenLong = true;
    const summary = new SlotSummary(this.series, number);
    const range = shortSlotsOf(number);
    const pieces = await file.read(SHORT, range.from, range.until);
    for (const _ of this.visit(SHORT, range, pieces, (_number, figures) => summary.addSlot(figures, PERIODS_MS[SHORT])));
    const known = this.#blocks[LONG]?.get(number);
    const rebuilt = summary.figures();
    // Series of which the short slots say nothing keep what was measured.
    if (known)
      this.#blocks[LONG]?.put(
        number,
        rebuilt.map((figure, at) => (Number.isNaN(figure) ? (known[at] ?? Number.NaN) : figure)),
      );
  }
}

/** Runs of numbers without a gap. */
function consecutive(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs;
}
