import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A part of a benchmark in a process of its own, so that it has its own event loop: it is asked, and it answers. */
export class Part implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts `file`, which says something once it is ready. */
  static start(file: URL, ...args: string[]): Promise<Part> {
    return Part.within([], file, ...args);
  }

  /** The same by a command that executes another one, such as `ip netns exec NAME`. */
  static async within(prefix: readonly string[], file: URL, ...args: string[]): Promise<Part> {
    const [command = process.execPath, ...words] = [...prefix, process.execPath, "--import", "tsx", file.pathname, ...args];
    const child = spawn(command, words, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const part = new Part(child);
    await part.#answer();
    return part;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ask<T>(question: object): Promise<T> {
    const answer = this.#answer();
    this.#child.send(question);
    return (await answer) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await gone;
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`a part of the benchmark ended with ${code}`));
      this.#child.once("exit", ended);
      this.#child.once("message", (message) => {
        this.#child.off("exit", ended);
        resolve(message);
      });
    });
  }
}
