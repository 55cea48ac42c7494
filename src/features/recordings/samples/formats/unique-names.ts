/** Unique names of MATLAB variables and fields: letters, digits and `_`, beginning with a letter. */
export class UniqueNames {
  readonly #length: number;
  readonly #used: Set<string>;

  constructor(length: number, used: readonly string[]) {
    this.#length = length;
    this.#used = new Set(used);
  }

  add(wanted: string): string {
    const plain = wanted.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^(?![A-Za-z])/, "x_");
    let name = plain.slice(0, this.#length);
    for (let number = 2; this.#used.has(name); number++) {
      const ending = `_${number}`;
      name = plain.slice(0, this.#length - ending.length) + ending;
    }
    this.#used.add(name);
    return name;
  }
}
