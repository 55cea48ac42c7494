import { writeSync } from "node:fs";

export interface Size {
  rows: number;
  cols: number;
}

/** The alternate screen without a cursor; lines do not wrap. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[0m\x1b[2J";
const LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
/** Begin and end of an update, which terminals that support it draw at once; others ignore these. */
const [BEGIN_UPDATE, END_UPDATE] = ["\x1b[?2026h", "\x1b[?2026l"];
/** Size of a terminal that does not report it, such as a serial line. */
const UNKNOWN_SIZE: Size = { rows: 24, cols: 80 };
const STDOUT = 1;

/** This terminal as one picture. The terminal is restored however the program ends, except by SIGKILL. */
export class Screen {
  #shown: string[] = [];
  #isOurs = false;
  readonly #restore = () => this.restore();

  get size(): Size {
    const { rows, columns } = process.stdout;
    return rows > 0 && columns > 0 ? { rows, cols: columns } : UNKNOWN_SIZE;
  }

  enter(): void {
    if (this.#isOurs) return;
    this.#isOurs = true;
    this.#shown = [];
    process.once("exit", this.#restore);
    process.stdin.setRawMode(true);
    write(ENTER);
  }

  /** Restores the terminal. */
  restore(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    process.off("exit", this.#restore);
    write(LEAVE);
    process.stdin.setRawMode(false);
  }

  /** Forgets the shown lines: the next picture is drawn completely. */
  forget(): void {
    this.#shown = [];
  }

  /** Draws lines as wide as the screen; only those that changed are sent. */
  draw(lines: readonly string[]): void {
    if (!this.#isOurs) return;
    const isNew = this.#shown.length !== lines.length;
    const changed = lines.map((line, index) => (line === this.#shown[index] ? "" : `\x1b[${index + 1};1H${line}`)).join("");
    this.#shown = [...lines];
    if (changed !== "") process.stdout.write(`${BEGIN_UPDATE}${isNew ? "\x1b[2J" : ""}${changed}${END_UPDATE}`);
  }
}

/** Writes synchronously: the program may be ending. A closed terminal is ignored. */
function write(text: string): void {
  try {
    writeSync(STDOUT, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EIO" && code !== "EPIPE" && code !== "EAGAIN") throw error;
  }
}
