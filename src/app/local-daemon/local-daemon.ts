import { join } from "node:path";
import { MgrError } from "../../base/errors.ts";
import { everyBeat } from "../../base/timing/clock.ts";
import { poll } from "../../base/timing/wait.ts";
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
/** Time to end for a daemon that has just been started and runs nothing, milliseconds. */
const BIRTH_END_TIMEOUT_MS = 5_000;

/** The daemon of this instance: found by its lock, or started. The lock prevents a second one. */
export class LocalDaemon {
  readonly #options: LocalDaemonOptions;
  /** The daemon that was last started here. */
  #own: { identity: Identity; death: Promise<never> } | null = null;
  #prepared: PreparedDaemon | null;
  #isNewborn = false;

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

  /** Whether a daemon runs already; the prepared one is then cancelled. */
  async find(): Promise<boolean> {
    const isFound = (await this.holder()) !== null;
    if (isFound) {
      this.#prepared?.cancel();
      this.#prepared = null;
      this.#own = null;
    }
    return isFound;
  }

  /** Starts the daemon. It connects to the broker's socket, which therefore exists already. */
  async start(): Promise<void> {
    const { stateDir, host, socket } = this.#options;
    const daemon = this.#prepared ?? new PreparedDaemon({ stateDir, host });
    this.#prepared = null;
    this.#own = null;
    const pid = await daemon.begin({ socket });
    this.#own = { identity: { pid, start_time: startTimeOf(pid) ?? "" }, death: daemon.death };
    this.#isNewborn = true;
  }

  /** Starts a daemon in place of one that died, unless there is one already. Like that one, it outlives its manager. */
  async replace(): Promise<void> {
    if (!(await this.find())) await this.start();
    this.grown();
  }

  /** Whether the daemon belongs to a start of the manager that may still fail. */
  get isNewborn(): boolean {
    return this.#isNewborn;
  }

  /** From now on the daemon outlives its manager. */
  grown(): void {
    this.#isNewborn = false;
  }

  /** Ends the daemon if it was started here and `grown` was not called. */
  async endNewborn(): Promise<void> {
    if (!this.#isNewborn) return;
    this.#isNewborn = false;
    await this.end("SIGTERM", BIRTH_END_TIMEOUT_MS).catch(() => this.end("SIGKILL", BIRTH_END_TIMEOUT_MS));
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
