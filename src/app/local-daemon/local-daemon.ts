import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { MgrError, messageOf } from "../../base/errors.ts";
import { type LockInfo, readLock } from "../../daemon/session/lock.ts";
import { mayBeAlive, startTimeOf } from "../../daemon/tree/proc.ts";
import { packageFile, VERSION } from "../../http/package-files.ts";

interface LocalDaemonOptions {
  stateDir: string;
  host: string;
  /** Path of the broker's unix socket. */
  socket: string;
}

/** A process identified by its pid and its start time from the kernel. */
type Identity = Pick<LockInfo, "pid" | "start_time">;

/** The built daemon: one file, whether this module runs from src/ or from dist/. */
const BUNDLE = packageFile("dist/daemon.mjs");
/** Its exit code if another daemon has the lock (daemon/main.ts). */
const EXIT_LOCKED = 3;
/** How much of its last output is kept, bytes. */
const LAST_WORDS_BYTES = 2_048;
const END_LOOK_MS = 20;

/** The daemon of this instance: found by its lock, or started. The lock prevents a second one. */
export class LocalDaemon {
  readonly #options: LocalDaemonOptions;
  /** The daemon that was last started here. */
  #own: { identity: Identity; death: Promise<never> } | null = null;

  constructor(options: LocalDaemonOptions) {
    this.#options = options;
  }

  /** The holder of the daemon's lock, or null. */
  async holder(): Promise<LockInfo | null> {
    const lock = await readLock(join(this.#options.stateDir, "daemon.lock"));
    return lock.held ? lock.info : null;
  }

  /** Identity of the lock's holder, else of the daemon that was started here and has not locked yet; null: there is none. */
  async identity(): Promise<Identity | null> {
    const target = (await this.holder()) ?? this.#own?.identity ?? null;
    return target !== null && mayBeAlive(target.pid, target.start_time) ? target : null;
  }

  /** Starts the daemon if there is none. Returns whether one was already running. */
  async ensure(): Promise<"found" | "started"> {
    this.#own = null;
    if ((await this.holder()) !== null) return "found";
    const { stateDir, host, socket } = this.#options;
    const words = openSync(join(stateDir, "daemon.stderr"), "a+", 0o600);
    const silence = fstatSync(words).size;
    try {
      // Detached: it and its children outlive this manager, however the manager ends.
      const child = spawn(process.execPath, [BUNDLE, JSON.stringify({ state_dir: stateDir, host, bus: { socket }, version: VERSION })], {
        detached: true,
        stdio: ["ignore", "ignore", words],
        cwd: "/",
      });
      const pid = await pidOf(child);
      const death = deathOf(child, () => lastWords(join(stateDir, "daemon.stderr"), silence));
      // The caller that waits for its hello handles the rejection; no other needs to.
      death.catch(() => {});
      this.#own = { identity: { pid, start_time: startTimeOf(pid) ?? "" }, death };
      child.unref();
    } finally {
      closeSync(words);
    }
    return "started";
  }

  /** Rejects with its last output when the daemon that was started here ends. Never resolves. */
  get death(): Promise<never> {
    return this.#own?.death ?? new Promise(() => {});
  }

  /**
   * Ends the daemon with everything that it still runs, and waits for it; with `SIGKILL` its guard kills the processes. A daemon that was
   * started here is ended even before it has taken its lock.
   */
  async end(signal: "SIGTERM" | "SIGKILL", timeoutMs: number): Promise<void> {
    const target = await this.identity();
    if (target === null) return;
    process.kill(target.pid, signal);
    const deadline = performance.now() + timeoutMs;
    while (mayBeAlive(target.pid, target.start_time)) {
      if (performance.now() > deadline)
        throw new MgrError("timeout", `the host daemon (pid ${target.pid}) did not end within ${timeoutMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, END_LOOK_MS));
    }
  }
}

function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0));
    child.once("error", (cause) => reject(new MgrError("internal", `cannot start the host daemon: ${cause.message}`, { cause })));
  });
}

function deathOf(child: ChildProcess, words: () => string): Promise<never> {
  return new Promise((_, reject) => {
    child.once("exit", (code, signal) => {
      if (code === EXIT_LOCKED) return;
      const how = signal === null ? `exit code ${code}` : String(signal);
      reject(new MgrError("host_unavailable", `the host daemon ended (${how}) before it was ready: ${words()}`));
    });
  });
}

/** The end of the text in `path` after `from`. Never throws: it is called by the listener of an exit. */
function lastWords(path: string, from: number): string {
  try {
    return tailOf(path, from);
  } catch (error) {
    return `its last output cannot be read: ${messageOf(error)}`;
  }
}

function tailOf(path: string, from: number): string {
  const fd = openSync(path, "r");
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(from, size - LAST_WORDS_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const length = readSync(fd, bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8", 0, length).trim();
    return text === "" ? "it printed nothing; see daemon.log in its state folder" : text;
  } finally {
    closeSync(fd);
  }
}

/** Polling interval for the end of a daemon that may be another manager's child, milliseconds. */
const LOOK_MS = 250;

/** Calls `onGone` once the process of `daemon` is gone. Returns a function that stops the polling. */
export function watchDaemon(daemon: Pick<LockInfo, "pid" | "start_time">, onGone: () => void): () => void {
  const timer = setInterval(() => {
    if (mayBeAlive(daemon.pid, daemon.start_time)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS);
  return () => clearInterval(timer);
}
