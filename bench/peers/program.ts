import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** How long a peer may take to end all that it runs, milliseconds. */
const END_MS = 60_000;

/** A program of a Debian package. */
export class DebianProgram {
  readonly #name: string;
  readonly #args: readonly string[];
  readonly #cwd: string;
  #child: ChildProcess | null = null;

  /** Throws, with the name of the package, if the program is not installed. */
  constructor(debianPackage: string, name: string, args: readonly string[], cwd: string) {
    [this.#name, this.#args, this.#cwd] = [name, args, cwd];
    if (spawnSync("sh", ["-c", 'command -v "$1"', "sh", name]).status === 0) return;
    throw new Error(`'${name}' is missing: install it with 'scripts/system-packages --bench' (Debian's package '${debianPackage}')`);
  }

  start(): void {
    this.#child = spawn(this.#name, this.#args, { cwd: this.#cwd, stdio: "ignore" });
  }

  get pids(): number[] {
    const pid = this.#child?.pid;
    return pid === undefined ? [] : [pid];
  }

  /** Ends it and waits until it has ended; it ends what it runs. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await gone;
    clearTimeout(timer);
  }
}
