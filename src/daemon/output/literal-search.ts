/** Finds the first place in a text where one of several literals stands. The places from an earlier search are kept. */
export class LiteralSearch {
  readonly #needles: readonly Buffer[];
  #text: Buffer = Buffer.alloc(0);
  /** Next place of each needle; -1: none. Before the first search, a place before the text. */
  #places: number[] = [];

  constructor(literals: readonly string[]) {
    this.#needles = literals.map((literal) => Buffer.from(literal));
  }

  begin(text: Buffer): void {
    this.#text = text;
    this.#places = this.#needles.map((needle) => text.indexOf(needle));
  }

  /** The first place from `from` on; -1: there is none. `from` must not be smaller than in the call before. */
  next(from: number): number {
    let first = -1;
    for (const [index, needle] of this.#needles.entries()) {
      let place = this.#places[index] ?? -1;
      if (place >= 0 && place < from) {
        place = this.#text.indexOf(needle, from);
        this.#places[index] = place;
      }
      if (place >= 0 && (first < 0 || place < first)) first = place;
    }
    return first;
  }
}
