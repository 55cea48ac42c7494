import { plainText } from "../../../../../src/base/patterns/output-filter.ts";

/** Maximum length of a line without an end, characters; it is given in pieces of this length. */
const MAX_UNENDED = 65_536;
/** Maximum length of a shown line, characters. */
const MAX_LINE = 4_096;

/** Splits the output of a process into lines without escape sequences. A line that has not ended waits. */
export class LineSplitter {
  #rest = "";

  write(output: string): string[] {
    const text = this.#rest + output;
    const end = text.lastIndexOf("\n") + 1;
    const isTooLong = text.length - end > MAX_UNENDED;
    this.#rest = isTooLong ? "" : text.slice(end);
    const whole = isTooLong ? text : text.slice(0, end);
    if (whole === "") return [];
    const lines = plainText(whole).split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines.map(shownLine);
  }

  /** Forgets a line that has not ended: the output after it is missing. */
  skip(): void {
    this.#rest = "";
  }
}

/** A progress bar writes its line again and again: the newest text counts. */
function shownLine(line: string): string {
  const newest = line.replace(/\r+$/, "").split("\r").at(-1) ?? "";
  return newest.length > MAX_LINE ? `${newest.slice(0, MAX_LINE)}…` : newest.replaceAll("\b", "");
}
