import headless from "@xterm/headless";
import { type IPty, spawn } from "node-pty";
import { PROGRAM } from "./instance.ts";
import { eventually } from "./wait.ts";

/** A program of ours under a real terminal, and what a person sees of it. */
export class TerminalSession {
  readonly pty: IPty;
  readonly screen: headless.Terminal;
  readonly ended: Promise<{ exitCode: number; signal?: number }>;
  hasEnded = false;

  constructor(
    words: readonly string[],
    { rows, cols, environment = process.env }: { rows: number; cols: number; environment?: NodeJS.ProcessEnv },
    file = process.execPath,
  ) {
    this.screen = new headless.Terminal({ rows, cols, allowProposedApi: true, scrollback: 1_000 });
    const env = { ...environment, TERM: "xterm-256color", NO_COLOR: "" };
    this.pty = spawn(file, file === process.execPath ? [PROGRAM, ...words] : [...words], { rows, cols, env, name: "xterm-256color" });
    this.pty.onData((data) => this.screen.write(data));
    this.ended = new Promise((resolve) =>
      this.pty.onExit((end) => {
        this.hasEnded = true;
        // What came last is on the screen by then.
        this.screen.write("", () => resolve(end));
      }),
    );
  }

  /** The lines in sight. */
  get lines(): string[] {
    const { active } = this.screen.buffer;
    return Array.from({ length: this.screen.rows }, (_, index) => active.getLine(active.viewportY + index)?.translateToString(true) ?? "");
  }

  get text(): string {
    return this.lines.join("\n");
  }

  /** Whether the program has a screen of its own. */
  get isAlternate(): boolean {
    return this.screen.buffer.active.type === "alternate";
  }

  untilShown(what: RegExp): Promise<unknown> {
    return eventually(`the screen shows ${what}; it was:\n${this.text}`, () => what.test(this.text));
  }

  type(keys: string): void {
    this.pty.write(keys);
  }

  /** Closes the terminal, as a terminal's window is closed. */
  hangUp(): void {
    // The types of node-pty leave it out.
    (this.pty as IPty & { destroy(): void }).destroy();
  }

  resize(rows: number, cols: number): void {
    this.screen.resize(cols, rows);
    this.pty.resize(cols, rows);
  }

  [Symbol.dispose](): void {
    if (!this.hasEnded) this.pty.kill("SIGKILL");
    this.screen.dispose();
  }
}
