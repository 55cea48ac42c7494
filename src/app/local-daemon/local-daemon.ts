import { join } from "node:path";
import { everyBeat } from "../../base/clock.ts";
import { MgrError } from "../../base/errors.ts";
import { poll } from "../../base/wait.ts";
import { mayBeAlive, startTimeOf } from "../../daemon/proc/proc.ts";
import { type LockInfo, readLock } from "../../daemon/session/lock.ts";
import { PreparedDaemon } from "./prepared-daemon.ts";

interface LocalDaemonOptions {
  stateDir: string;
  host: string;
  /** Path of the broker's unix socket. */
  socket: string;
  /** The prepared daemon for the first start. */
  prepared: PreparedDaemon | null;
}

/** A process identified by its pid and its start time from the kernel. */
type Identity = Pick<LockInfo, "pid" | "start_time">;

const END_CHECK_INTERVAL_MS = 20;

/** The daemon of this instance: found by its lock, or started. The lock prevents a second one. */
export class LocalDaemon {
  readonly #options: LocalDaemonOptions;
  /** The daemon that was last started here. */
  #own: { identity: Identity; death: Promise<never> } | null = null;
  #prepared: PreparedDaemon | null;

  constructor(options: LocalDaemonOptions) {
    this.#options = options;
    this.#prepared = options.prepared;
  }

  /** The holder of the daemon's lock, or null. */
  async holder(): Promise<LockInfo | null> {
    const lock = await readLock(join(this.#options.stateDir, "daemon.lock"));
    return lock.held ? lock.info : null;
  }

  /** Identity of the lock's holder, else of the daemon that was started here and has not acquired the lock yet; null: there is none. */
  async identity(): Promise<Identity | null> {
    const target = (await this.holder()) ?? this.#own?.identity ?? null;
    return target !== null && mayBeAlive(target.pid, target.start_time) ? target : null;
  }

  /** Starts the daemon if there is none. Returns whether one was already running. */
  async ensure(): Promise<"found" | "started"> {
    this.#own = null;
    const prepared = this.#prepared;
    this.#prepared = null;
    if ((await this.holder()) !== null) {
      prepared?.cancel();
      return "found";
    }
    const { stateDir, host, socket } = this.#options;
    const daemon = prepared ?? new PreparedDaemon({ stateDir, host });
    const pid = await daemon.begin({ socket });
    this.#own = { identity: { pid, start_time: startTimeOf(pid) ?? "" }, death: daemon.death };
    return "started";
  }

  /** Rejects with its last output when the daemon that was started here ends. Never resolves. */
  get death(): Promise<never> {
    return this.#own?.death ?? new Promise(() => {});
  }

  /**
   * Ends the daemon with everything that it still runs, and waits for it; with `SIGKILL` its guard kills the processes. A daemon that was
   * started here is ended even before it has acquired its lock.
   */
  async end(signal: "SIGTERM" | "SIGKILL", timeoutMs: number): Promise<void> {
    const target = await this.identity();
    if (target === null) return;
    process.kill(target.pid, signal);
    const isGone = await poll(() => !mayBeAlive(target.pid, target.start_time), { everyMs: END_CHECK_INTERVAL_MS, forMs: timeoutMs });
    if (!isGone) throw new MgrError("timeout", `the host daemon (pid ${target.pid}) did not end within ${timeoutMs} ms`);
  }
}

/** Polling interval for the end of a daemon that may be another manager's child, milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

/** Calls `onGone` once the process of `daemon` is gone, found by polling or when `death` rejects. Returns a function that stops the polling. */
export function watchDaemon(daemon: Pick<LockInfo, "pid" | "start_time">, death: Promise<never>, onGone: () => void): () => void {
  const check = () => {
    if (isOver || mayBeAlive(daemon.pid, daemon.start_time)) return;
    end();
    onGone();
  };
  let isOver = false;
  const stopChecks = everyBeat(CHECK_INTERVAL_MS, check);
  death.catch(check);
  const end = () => {
    isOver = true;
    stopChecks();
  };
  return end;
}
