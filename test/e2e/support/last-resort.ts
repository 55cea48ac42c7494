import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { MARK } from "./marked.ts";

/** Waits for the end of its standard input, then kills whatever carries the mark ($1) and removes the folder ($2). */
const SCRIPT = `cat
for file in /proc/[0-9]*/environ; do
  if grep -qsF "$1" "$file"; then pid=\${file#/proc/}; kill -9 "\${pid%/environ}"; fi
done
rm -rf "$2"`;

/**
 * Cleans up after a test run that was itself killed, and so could end nothing: a shell in a session of its own that
 * reads a pipe from us. It carries no mark.
 */
export class LastResort {
  readonly #shell: ChildProcess;

  constructor(mark: string, dir: string) {
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", `${MARK}=${mark}`, dir], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: process.env.PATH },
    });
  }

  /** Everything has been ended in the ordinary way. */
  async dismiss(): Promise<void> {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    const gone = once(this.#shell, "exit");
    // The whole group: `cat` would go on reading our pipe.
    if (this.#shell.pid !== undefined) process.kill(-this.#shell.pid, "SIGKILL");
    await gone;
  }
}
