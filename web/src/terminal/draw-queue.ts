import type { OutputPart, RunRule } from "./places/run-rules.ts";

/** Maximum size of a piece of text, characters: xterm.js checks the clock between two pieces, so small ones never block the page for long. */
const DRAWN_PIECE = 16_384;

/**
 * Resets what the program of a run may have set in its terminal, since each run gets a new one: colours, margins, character sets, hidden cursor
 * and the like (DECSTR), mouse reports.
 */
export const RESET = "\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l";
export const LEAVE_ALTERNATE_SCREEN = "\x1b[?1049l";

/** Numbers of the terminal's own colours. */
const COLORS = { good: 32, bad: 31, soft: 90 } as const;

/** The part of a terminal of xterm.js that is used, in a page or without one. */
interface Screen<Marker> {
  readonly rows: number;
  readonly cols: number;
  readonly buffer: {
    readonly active: {
      readonly type: "normal" | "alternate";
      readonly cursorY: number;
      readonly baseY: number;
      getLine(line: number): { translateToString(trimRight: boolean): string } | undefined;
    };
  };
  write(text: string, drawn?: () => void): void;
  /** Adds a marker in the line of the cursor. */
  registerMarker(): Marker | undefined;
}

/** The position and look of a drawn rule. */
export interface DrawnRule<Marker> {
  marker: Marker;
  /** Width of its text, columns. */
  width: number;
  tone: RunRule["tone"];
}

/** A part of the output, or a function that is called when everything before it was given to the terminal. */
export type DrawnPart = OutputPart | (() => void);

/** Draws output and the rules between runs in order. A rule is drawn after everything before it, when the cursor's position is known. */
export class DrawQueue<Marker> {
  readonly #terminal: Screen<Marker>;
  readonly #onRule: (rule: DrawnRule<Marker>) => void;
  /** Parts that wait until a rule is drawn; null: no rule is being drawn. */
  #waiting: DrawnPart[] | null = null;
  #undrawn = 0;
  #isClosed = false;

  constructor(terminal: Screen<Marker>, onRule: (rule: DrawnRule<Marker>) => void) {
    this.#terminal = terminal;
    this.#onRule = onRule;
  }

  /** Number of characters that are not drawn yet. */
  get undrawn(): number {
    return this.#undrawn;
  }

  draw(parts: readonly DrawnPart[]): void {
    for (const part of parts) {
      if (typeof part === "string") this.#undrawn += part.length;
      this.#accept(part);
    }
  }

  /** Resolves when everything up to now is drawn. */
  drawn(): Promise<void> {
    return new Promise((done) => this.#accept(() => this.#terminal.write("", done)));
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = null;
  }

  #accept(part: DrawnPart): void {
    if (this.#waiting !== null) this.#waiting.push(part);
    else if (typeof part === "string") this.#write(part);
    else if (typeof part === "function") part();
    else {
      this.#waiting = [];
      void this.#rule(part).then(() => this.#goOn());
    }
  }

  #goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    if (!this.#isClosed) for (const part of waiting) this.#accept(part);
  }

  #write(text: string): void {
    for (let at = 0; at < text.length; at += DRAWN_PIECE) {
      const piece = text.slice(at, at + DRAWN_PIECE);
      this.#terminal.write(piece, () => {
        this.#undrawn -= piece.length;
      });
    }
  }

  async #rule(rule: RunRule): Promise<void> {
    const { buffer, cols } = this.#terminal;
    await this.#writeNow("");
    if (buffer.active.type === "alternate") {
      // The last output of a program that crashed would be lost with its alternate screen.
      const last = this.#screenLines();
      await this.#writeNow(`${LEAVE_ALTERNATE_SCREEN}${RESET}`);
      await this.#writeNow(`${this.#toNewLine()}${last.map((line) => `${line}\r\n`).join("")}`);
    } else await this.#writeNow(RESET);
    const [first, ...others] = fitting(rule, cols);
    const rest = others.map((part) => ` · ${part}`).join("");
    await this.#writeNow(`${this.#toNewLine()}\x1b[${COLORS[rule.tone]}m${first}\x1b[90m${rest}\x1b[0m`);
    if (this.#isClosed) return;
    const marker = this.#terminal.registerMarker();
    if (marker) this.#onRule({ marker, width: first.length + rest.length, tone: rule.tone });
    await this.#writeNow("\r\n");
  }

  /** The visible lines, without empty lines at the end. */
  #screenLines(): string[] {
    const { active } = this.#terminal.buffer;
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
    while (lines.at(-1)?.trim() === "") lines.pop();
    return lines;
  }

  /** Moves the cursor to the first line below all text. */
  #toNewLine(): string {
    const { cursorY } = this.#terminal.buffer.active;
    const last = Math.max(cursorY, this.#screenLines().length - 1);
    const isEmpty = this.#screenLines().length <= last;
    return `\x1b[${last + 1};1H${isEmpty ? "" : "\r\n"}`;
  }

  #writeNow(text: string): Promise<void> {
    return this.#isClosed ? Promise.resolve() : new Promise((done) => this.#terminal.write(text, done));
  }
}

/** The parts of a rule that fit into a line. */
function fitting({ number, parts: [how = "", ...others] }: RunRule, cols: number): [string, ...string[]] {
  const first = `Run ${number}: ${how}`.slice(0, Math.max(1, cols - 1));
  let width = first.length;
  return [
    first,
    ...others.filter((part) => {
      width += part.length + 3;
      return width < cols;
    }),
  ];
}
