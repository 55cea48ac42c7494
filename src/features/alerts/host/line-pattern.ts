import { LinearRegex } from "../../../base/patterns/linear-regex.ts";
import { LiteralSearch } from "../../../daemon/output/literal-search.ts";
import { ALERT_PATTERN } from "../pattern.ts";
import { MAX_LINE_BYTES, OVERLAP_BYTES } from "./line-blocks.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The expression of an alert; processes with the same one share it. */
export class LinePattern {
  readonly #regex: LinearRegex;
  readonly #literals: LiteralSearch | null;

  /** Throws `PatternRefused`. */
  constructor(pattern: string) {
    this.#regex = new LinearRegex(pattern, { use: ALERT_PATTERN });
    this.#literals = this.#regex.literals === null ? null : new LiteralSearch(this.#regex.literals);
  }

  /**
   * Calls back with each line that matches. Lines without a literal of the expression cost almost nothing; before another one is examined,
   * `mayExamine` is asked with its length. Returns whether all were examined.
   */
  examine(text: Buffer, mayExamine: (bytes: number) => boolean, matched: (line: string) => void): boolean {
    this.#literals?.begin(text);
    for (let from = 0; from < text.length; ) {
      const at = this.#literals === null ? from : this.#literals.next(from);
      if (at < 0) return true;
      const start = at > from ? Math.max(from, text.lastIndexOf(NEWLINE, at - 1) + 1) : from;
      const newline = text.indexOf(NEWLINE, at);
      const end = newline < 0 ? text.length : newline;
      if (!mayExamine(end - start)) return false;
      const line = this.#matchIn(text.subarray(start, end > start && text[end - 1] === CARRIAGE_RETURN ? end - 1 : end));
      if (line !== null) matched(line);
      from = end + 1;
    }
    return true;
  }

  #matchIn(line: Buffer): string | null {
    for (let from = 0; ; from += MAX_LINE_BYTES - OVERLAP_BYTES) {
      const piece = line.toString("utf8", from, from + MAX_LINE_BYTES);
      if (this.#regex.test(piece)) return piece;
      if (from + MAX_LINE_BYTES >= line.length) return null;
    }
  }
}
