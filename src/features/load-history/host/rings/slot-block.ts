import { Slots } from "./slot.ts";

/** The newest slots of a ring, in memory. */
export class SlotBlock {
  readonly #slots: Slots;
  readonly #length: number;

  constructor(series: number, length: number) {
    this.#length = length;
    this.#slots = Slots.empty(series, length);
  }

  /** Replaces the slot of the same number, or else that which was at its place. */
  put(number: number, figures: Float32Array): void {
    this.#slots.put(number % this.#length, number, figures);
  }

  /** Null: it is not there. The array is a view. */
  get(number: number): Float32Array | null {
    const place = number % this.#length;
    return this.#slots.numberAt(place) === number ? this.#slots.figuresAt(place) : null;
  }

  /** Numbers of the slots that are there, ascending. */
  numbers(): number[] {
    const numbers: number[] = [];
    for (let place = 0; place < this.#length; place++) {
      const number = this.#slots.numberAt(place);
      if (number !== 0) numbers.push(number);
    }
    return numbers.sort((a, b) => a - b);
  }

  /** Bytes of a slot as a file has them. */
  bytes(number: number): Uint8Array {
    return this.#slots.bytes(number % this.#length, 1);
  }

  remove(number: number): void {
    if (this.get(number) !== null) this.#slots.clear(number % this.#length);
  }

  /** Removes what is after `number`. */
  discardAfter(number: number): void {
    for (const each of this.numbers()) if (each > number) this.remove(each);
  }
}
