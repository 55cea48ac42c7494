import { slotWords, WORD_BYTES } from "./layout.ts";

const NUMBER = 0;
const CHECKSUM = 1;
const FIGURES = 2;

/** Slots in a buffer, as words and as figures. */
export class Slots {
  readonly words: Uint32Array;
  readonly #figures: Float32Array;
  readonly #series: number;
  readonly #width: number;

  /** The buffer begins with a slot; what is left over at its end is ignored. */
  constructor(
    series: number,
    buffer: ArrayBuffer,
    from = 0,
    count = Math.floor((buffer.byteLength - from) / (WORD_BYTES * slotWords({ series }))),
  ) {
    this.#series = series;
    this.#width = slotWords({ series });
    this.words = new Uint32Array(buffer, from, count * this.#width);
    this.#figures = new Float32Array(buffer, from, count * this.#width);
  }

  static empty(series: number, count: number): Slots {
    return new Slots(series, new ArrayBuffer(WORD_BYTES * slotWords({ series }) * count));
  }

  get count(): number {
    return this.words.length / this.#width;
  }

  /** Number of the slot at this place; 0: it is empty, or was not written as a whole. */
  numberAt(place: number): number {
    const at = place * this.#width;
    const number = this.words[at + NUMBER] ?? 0;
    return number !== 0 && this.words[at + CHECKSUM] === this.#checksum(at) ? number : 0;
  }

  /** Minimum, mean and maximum of each series, in this order; NaN: not known. The array is a view. */
  figuresAt(place: number): Float32Array {
    const at = place * this.#width + FIGURES;
    return this.#figures.subarray(at, at + 3 * this.#series);
  }

  put(place: number, number: number, figures: Float32Array): void {
    const at = place * this.#width;
    this.words[at + NUMBER] = number;
    this.#figures.set(figures, at + FIGURES);
    this.words[at + CHECKSUM] = this.#checksum(at);
  }

  clear(place: number): void {
    this.words.fill(0, place * this.#width, (place + 1) * this.#width);
  }

  /** Bytes of some slots; the array is a view. */
  bytes(place = 0, count = this.count - place): Uint8Array {
    const width = WORD_BYTES * this.#width;
    return new Uint8Array(this.words.buffer, this.words.byteOffset + place * width, count * width);
  }

  /** Checksum of the number and the figures. It detects torn writes, not attacks. */
  #checksum(at: number): number {
    return checksum(this.words, at + FIGURES, 3 * this.#series, this.words[at + NUMBER] ?? 0);
  }
}

/** Murmur3 of words of 32 bits. */
export function checksum(words: Uint32Array, from: number, count: number, seed: number): number {
  let hash = seed;
  for (let at = from; at < from + count; at++) {
    let word = Math.imul(words[at] ?? 0, 0xcc9e2d51);
    word = (word << 15) | (word >>> 17);
    hash ^= Math.imul(word, 0x1b873593);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  hash ^= count;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
