import { ERROR_TEXTS, ProtocolViolation } from "../broker-protocol.ts";

const CR = 13;
const SPACE = 32;
const TAB = 9;
/** Maximum number of words, with the operation: HPUB has four arguments; LMSG names queue groups. */
const MAX_WORDS = 5;
const MAX_LINK_WORDS = 512;
const DIGITS = /^\d{1,10}$/;

/** The words of one control line. They are read from the bytes that were split last. */
export class ControlLine {
  /** Number of words, at most one more than may be read. */
  count = 0;
  /** Start and end positions of the words. */
  #words = new Int32Array(2 * MAX_WORDS);
  #maxWords = MAX_WORDS;
  #bytes: Buffer = Buffer.alloc(0);
  #stop = 0;

  /** Allows more words than lines of clients have. */
  allowLinkWords(): void {
    if (this.#maxWords === MAX_LINK_WORDS) return;
    this.#maxWords = MAX_LINK_WORDS;
    this.#words = new Int32Array(2 * MAX_LINK_WORDS);
  }

  /** Splits the line from `start` to its LF at `end`. */
  split(bytes: Buffer, start: number, end: number): void {
    const stop = end > start && bytes[end - 1] === CR ? end - 1 : end;
    this.#bytes = bytes;
    this.#stop = stop;
    const words = this.#words;
    let count = 0;
    let position = start;
    for (;;) {
      while (position < stop && (bytes[position] === SPACE || bytes[position] === TAB)) position++;
      if (position >= stop) break;
      if (count === this.#maxWords) {
        count++;
        break;
      }
      words[2 * count] = position;
      while (position < stop && bytes[position] !== SPACE && bytes[position] !== TAB) position++;
      words[2 * count + 1] = position;
      count++;
    }
    this.count = count;
  }

  get isTooLong(): boolean {
    return this.count > this.#maxWords;
  }

  word(index: number): string {
    return this.#bytes.toString("latin1", this.#words[2 * index], this.#words[2 * index + 1]);
  }

  number(index: number): number {
    const text = this.word(index);
    expect(DIGITS.test(text));
    return Number(text);
  }

  /** Returns everything behind the first word. */
  rest(): string {
    return this.#bytes.toString("utf8", this.#words[1], this.#stop).trim();
  }
}

export function expect(condition: boolean): void {
  if (!condition) throw new ProtocolViolation(ERROR_TEXTS.parser);
}
