import { visible } from "../text/visible-text.ts";

/** Sequences that are kept: colours and other attributes of text (SGR), and the erasing of a line, as progress bars do it. */
const KEPT = String.raw`\x1b\[[\d;:]*m|\x1b\[[012]?K`;
/**
 * Sequences of ECMA-48 that are removed: control sequences; strings (OSC, DCS and the like) up to BEL or ST; other escape sequences. They begin
 * with one or two characters.
 */
const REMOVED = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[P\]X^_]|[\x90\x9d\x98\x9e\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-OQ-WYZ\\\x60-~]`;
/** The beginning of a sequence, at the end of the output so far. */
const BEGUN = String.raw`(?:\x1b(?:[ -/]*|\[[0-?]*[ -/]*|[P\]X^_][^\x07\x1b\x80-\x9f]*\x1b?)|\x9b[0-?]*[ -/]*|[\x90\x9d\x98\x9e\x9f][^\x07\x1b\x80-\x9f]*\x1b?)$`;
const SEQUENCE = new RegExp(`(${KEPT})|${REMOVED}`, "gu");
const UNFINISHED = new RegExp(BEGUN, "u");
/** Text between sequences; line ends, tabs and backspaces move the cursor no further than text does. */
const PLAIN = /[^\n\r\t\b]+/gu;
const PLAIN_AGAIN = "\x1b[0m";
/** Maximum length of a sequence, characters: a string without an end would otherwise remove all further output. */
const MAX_SEQUENCE_CHARACTERS = 4_096;

/**
 * Output of a process for a terminal that is not its own: text and colours as they are, without the sequences that query the
 * terminal, set its title or clipboard, switch its modes or move the cursor. Other controls are shown.
 */
export class OutputFilter {
  #begun = "";
  #isPainted = false;

  write(output: string): string {
    const text = this.#begun + output;
    const begun = UNFINISHED.exec(text);
    const isHeld = begun !== null && begun[0].length <= MAX_SEQUENCE_CHARACTERS;
    this.#begun = isHeld ? begun[0] : "";
    return this.#filtered(isHeld ? text.slice(0, begun.index) : text);
  }

  /** Returns an incomplete sequence in visible form, and the end of all colours. */
  end(): string {
    const rest = this.#filtered(this.#begun);
    this.#begun = "";
    return this.#isPainted ? `${rest}${PLAIN_AGAIN}` : rest;
  }

  #filtered(text: string): string {
    let shown = "";
    let end = 0;
    for (const match of text.matchAll(SEQUENCE)) {
      const [whole, kept = ""] = match;
      if (kept.endsWith("m")) this.#isPainted = true;
      shown += plain(text.slice(end, match.index)) + kept;
      end = match.index + whole.length;
    }
    return shown + plain(text.slice(end));
  }
}

/** Output of a process as text without any sequence, for displays without colours and for files. */
export class PlainTextFilter {
  readonly #filter = new OutputFilter();

  write(output: string): string {
    return this.#filter.write(output).replace(SEQUENCE, "");
  }

  /** Returns an incomplete sequence in visible form. */
  end(): string {
    return this.#filter.end().replace(SEQUENCE, "");
  }
}

/** Whole output without any sequence, for displays without colours. */
export function plainText(output: string): string {
  const filter = new PlainTextFilter();
  return filter.write(output) + filter.end();
}

function plain(text: string): string {
  return text.replace(PLAIN, visible);
}
