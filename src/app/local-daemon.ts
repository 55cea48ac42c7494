import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MgrError } from "../base/errors.ts";
import { type LockInfo, readLock } from "../daemon/lock.ts";
import { isAlive } from "../daemon/proc.ts";

interface LocalDaemonOptions {
  stateDir: string;
  host: string;
  /** Path of the broker's unix socket. */
  socket: string;
}

/** The built daemon: one file, whether this module runs from src/ or from dist/. */
const BUNDLE = fileURLToPath(new URL("../../dist/daemon.mjs", import.meta.url));

/** How long a daemon that holds the lock has for its hello before we give up, milliseconds (runtime.md, "Locks"). */
export const HELLO_TIMEOUT_MS = 10_000;

/** The daemon of this instance: found by its lock, or started. Never a second one: the lock decides. */
export class LocalDaemon {
  readonly #options: LocalDaemonOptions;

  constructor(options: LocalDaemonOptions) {
    this.#options = options;
  }

  /** Who holds the daemon's lock now, or null. */
  async holder(): Promise<LockInfo | null> {
    const lock = await readLock(join(this.#options.stateDir, "daemon.lock"));
    return lock.held ? lock.info : null;
  }

  /** Starts one if none is there. Returns whether an earlier one was found. */
  async ensure(): Promise<"found" | "started"> {
    if ((await this.holder()) !== null) return "found";
    const { stateDir, host, socket } = this.#options;
    const output = openSync(join(stateDir, "daemon.stderr"), "a", 0o600);
    try {
      // Detached: it and its children outlive this manager, however that ends.
      const child = spawn(process.execPath, [BUNDLE, JSON.stringify({ state_dir: stateDir, host, socket, on_manager_lost: "keep" })], {
        detached: true,
        stdio: ["ignore", "ignore", output],
        cwd: "/",
      });
      await new Promise<void>((resolve, reject) => {
        child.once("spawn", resolve);
        child.once("error", (cause) => reject(new MgrError("internal", `cannot start the host daemon: ${cause.message}`, { cause })));
      });
      child.unref();
    } finally {
      closeSync(output);
    }
    return "started";
  }

  /** Ends the daemon with everything that it still runs, and waits for it; `SIGKILL` leaves the killing to its guard. */
  async end(signal: "SIGTERM" | "SIGKILL", timeoutMs: number): Promise<void> {
    const holder = await this.holder();
    if (holder === null || !isAlive(holder.pid, holder.start_time)) return;
    process.kill(holder.pid, signal);
    const deadline = performance.now() + timeoutMs;
    while (isAlive(holder.pid, holder.start_time)) {
      if (performance.now() > deadline)
        throw new MgrError("timeout", `the host daemon (pid ${holder.pid}) did not end within ${timeoutMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
