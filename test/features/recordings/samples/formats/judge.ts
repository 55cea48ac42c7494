import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export type Kind = readonly [element: string, shape: "scalar" | "variable" | number];
export type Kinds = Readonly<Record<string, Kind>>;

/** A Python process that reads many files (judge.py). */
export class Judge {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  /** `-I -S` as options: only the standard library. */
  constructor(...options: readonly string[]) {
    const child = spawn("/usr/bin/python3", [...options, fileURLToPath(new URL("judge.py", import.meta.url))], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("close", resolve));
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async read(format: string, path: string, kinds: Kinds): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify({ format, path, kinds })}\n`);
    const answer = await this.#answers.next();
    const { found, error } = JSON.parse(answer.value) as { found?: unknown; error?: string };
    if (error !== undefined) throw new Error(`Python could not read the ${format} file: ${error}`);
    return found;
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}
