/** Length of a line of numbered-output.py as its terminal gives it out, bytes: the program's newline becomes two. */
export const LINE_BYTES = 1_026;
const LINE = /(\d{10}) x{1013}\r\n/g;
/** Longest part of a line that may wait for its rest, characters. */
const MAX_PART = 2 * LINE_BYTES;

/** The numbers of the lines that a viewer of numbered-output.py has received. */
export class NumberedLines {
  /** Bytes that the viewer was told it would not receive: it was too slow, or its host had dropped them from memory. */
  toldMissingBytes = 0;
  readonly #numbers = new Set<number>();
  #first = Number.POSITIVE_INFINITY;
  #part = "";

  add(text: string): void {
    const whole = this.#part + text;
    this.#part = whole.slice(this.#count(whole)).slice(-MAX_PART);
  }

  /** Text that neither continues the text before nor is continued by the next: an older part of the output. */
  addApart(text: string): void {
    this.#count(text);
  }

  /** What follows does not continue the text before. */
  cut(): void {
    this.#part = "";
  }

  get count(): number {
    return this.#numbers.size;
  }

  /** Number of lines that are missing between the first one and `last`. */
  missing(last: number): number {
    return last - this.#first + 1 - this.count;
  }

  /** Returns where the last whole line ends. */
  #count(text: string): number {
    let end = 0;
    for (const line of text.matchAll(LINE)) {
      const number = Number(line[1]);
      this.#numbers.add(number);
      this.#first = Math.min(this.#first, number);
      end = line.index + line[0].length;
    }
    return end;
  }
}

/** The last number in an output that ends at `offset` of its stream, and the bytes that are missing before it. */
export function lastLine(output: string, offset: number): { number: number; lostBytes: number } {
  const lines = [...output.matchAll(LINE)];
  const last = lines.at(-1);
  if (last === undefined) return { number: 0, lostBytes: Number.NaN };
  const number = Number(last[1]);
  const end = offset - (output.length - last.index - last[0].length);
  const gaps = lines.filter((line, index) => Number(line[1]) !== number - (lines.length - 1 - index)).length;
  return { number, lostBytes: number * LINE_BYTES - end + gaps * LINE_BYTES };
}
