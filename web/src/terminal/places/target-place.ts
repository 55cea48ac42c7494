import type { IMarker, Terminal } from "@xterm/xterm";
import { type Backlog, findTarget, type OutputTarget, rowsOf } from "./output-target.ts";

/** The part of a terminal of xterm.js that is used, in a page or without one. */
export type OutputTerminal = Pick<Terminal, "rows" | "cols" | "buffer" | "write" | "reset" | "scrollToBottom" | "scrollLines"> & {
  readonly options: Pick<Terminal["options"], "scrollback">;
  /** Adds a marker in the line of the cursor. */
  registerMarker(): IMarker | undefined;
};

/** A requested place in a backlog that is being drawn. */
export class TargetPlace {
  /** Index of its line in the text of the backlog; null: it is not there, or too far back. */
  readonly index: number | null;
  readonly #terminal: OutputTerminal;
  #note: string | null;
  #marker: IMarker | null = null;

  /** Also makes room in the terminal for all lines from the place on. */
  constructor(terminal: OutputTerminal, backlog: Backlog, target: OutputTarget) {
    this.#terminal = terminal;
    const { index, note } = findTarget(backlog, target);
    const rows = index === null ? 0 : rowsOf(backlog.output.slice(index), terminal.cols);
    this.index = rows === null ? null : index;
    this.#note = rows === null ? "This line is too far back to be shown in the terminal" : note;
    terminal.options.scrollback = Math.max(terminal.options.scrollback ?? 0, (rows ?? 0) + terminal.rows);
  }

  /** Its line, once it is drawn. */
  get marker(): IMarker | null {
    return this.#marker;
  }

  /** A note for the user about it. */
  get note(): string | null {
    return this.#note;
  }

  /** Marks the line of the cursor, after everything that was drawn before. */
  readonly mark = (): void => {
    this.#terminal.write("", () => {
      this.#marker = this.#terminal.registerMarker() ?? null;
      if (this.#marker === null) this.#note = "This line was printed by a full-screen program and is not in the terminal any more";
    });
  };
}
