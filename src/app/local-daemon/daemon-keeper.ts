import { join } from "node:path";
import { MgrError, messageOf } from "../../base/errors.ts";
import { pause, systemClock } from "../../base/timing/clock.ts";
import { poll, untilWithin } from "../../base/timing/wait.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { Engine } from "../engine.ts";
import { type LocalDaemon, watchDaemon } from "./local-daemon.ts";

/** Time that the start of the manager waits for the daemon's hello, milliseconds. */
const HELLO_TIMEOUT_MS = 10_000;
/** Time for a daemon to end, milliseconds, in addition to the stop times of the processes that it still runs. */
const END_TIMEOUT_MS = 60_000;
/** Pauses before a daemon that died is started again, milliseconds: a daemon that always dies must not be restarted in a tight loop. */
const RESTART_MS = [0, 1_000, 2_000, 5_000, 10_000, 30_000];
/** Time without a death after which the count of deaths is reset, milliseconds. */
const STABLE_MS = 120_000;
const CHECK_INTERVAL_MS = 50;

interface DaemonKeeperOptions {
  stateDir: string;
  /** The daemon, found or started. */
  daemon: LocalDaemon;
  engine: Engine;
  log: LogBook;
}

/** Keeps the local daemon running: waits for its first heartbeat, and replaces it when it dies. */
export class DaemonKeeper {
  readonly #options: DaemonKeeperOptions;
  readonly #daemon: LocalDaemon;
  #unsubscribe = () => {};
  #isEnding = false;
  /** Aborted once a daemon that died is no longer replaced. */
  readonly #end = new AbortController();
  /** Number of deaths in a row. */
  #deaths = 0;
  #lastDeath = 0;

  constructor(options: DaemonKeeperOptions) {
    this.#options = options;
    this.#daemon = options.daemon;
  }

  /**
   * Waits for the daemon's hello, HELLO_TIMEOUT_MS at most. Resolves with null, or with the reason why there was no hello, which is also logged.
   * Rejects if the daemon dies first, or when `signal` fires.
   */
  async begin(signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    // The end of a daemon that was started here is logged where its exit is seen.
    const { isNewborn } = this.#daemon;
    if (!isNewborn) await this.#watch();
    const waiting = new AbortController();
    try {
      await Promise.race([hello(this.#options.engine, AbortSignal.any([waiting.signal, signal])), this.#daemon.death]);
    } finally {
      waiting.abort();
    }
    this.#daemon.grown();
    if (isNewborn) await this.#watch();
    return this.#problem();
  }

  /** From now on, a daemon that dies is not replaced. */
  beginShutdown(): void {
    this.#end.abort();
  }

  /** From now on, the daemon's death is not reported. */
  release(): void {
    this.#isEnding = true;
    this.#end.abort();
    this.#unsubscribe();
  }

  /**
   * Ends the daemon with everything that it still runs. After `SIGKILL`, which a daemon that does not end also receives, its guard kills the
   * processes.
   */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.release();
    const { engine, log } = this.#options;
    if (signal === "SIGKILL") return this.#daemon.end(signal, END_TIMEOUT_MS);
    try {
      await this.#daemon.end(signal, engine.processTable.graph.stopTimeOfAll() + END_TIMEOUT_MS);
    } catch (error) {
      log.error(`${messageOf(error)}; it is killed`);
      await this.#daemon.end("SIGKILL", END_TIMEOUT_MS);
    }
  }

  /** Replaces a daemon that died; its processes start again by their restart policies. */
  async #revive(): Promise<void> {
    const { signal } = this.#end;
    if (signal.aborted) return;
    const now = performance.now();
    if (now - this.#lastDeath > STABLE_MS) this.#deaths = 0;
    this.#lastDeath = now;
    const delay = RESTART_MS[Math.min(this.#deaths++, RESTART_MS.length - 1)] ?? 0;
    await pause(systemClock, delay, signal).catch(() => {});
    if (signal.aborted) return;
    const over = new AbortController();
    try {
      await this.#daemon.replace();
      await Promise.race([this.#locked(over.signal), this.#daemon.death]).finally(() => over.abort());
      await this.#watch();
    } catch (error) {
      this.#options.log.error(`the host daemon could not be started again: ${messageOf(error)}`);
      void this.#revive();
    }
  }

  async #problem(): Promise<string | null> {
    const { engine, stateDir, log } = this.#options;
    if (engine.processTable.isHostReady()) return null;
    const daemon = await this.#daemon.identity();
    const who = daemon === null ? "the host daemon" : `the host daemon (pid ${daemon.pid})`;
    const what = engine.processTable.isIncompatible()
      ? `${who} is of another version`
      : `${who} has not said hello within ${HELLO_TIMEOUT_MS / 1_000} s: see ${join(stateDir, "daemon.log")}`;
    const problem = `${what}; until it is ready, commands are refused. 'mgr down' ends it`;
    log.error(problem);
    return problem;
  }

  async #locked(signal: AbortSignal): Promise<void> {
    const isLocked = async () => (await this.#daemon.holder()) !== null;
    if (!(await poll(isLocked, { everyMs: CHECK_INTERVAL_MS, forMs: HELLO_TIMEOUT_MS, signal })))
      throw new MgrError("timeout", "it did not take its lock");
  }

  /** Watches the daemon by its pid, not by its host's heartbeats: it may die before its hello, and may be another manager's child. */
  async #watch(): Promise<void> {
    const daemon = await this.#daemon.identity();
    if (this.#isEnding) return;
    this.#unsubscribe();
    if (daemon === null) this.#died();
    else this.#unsubscribe = watchDaemon(daemon, this.#daemon.death, () => this.#died());
  }

  #died(): void {
    this.#options.engine.daemonExited();
    void this.#revive();
  }
}

/** Resolves once this machine's host is ready or of another version, and after HELLO_TIMEOUT_MS; rejects with the reason of `signal`. */
async function hello({ processTable, events }: Engine, signal: AbortSignal): Promise<void> {
  const isKnown = () => processTable.isHostReady() || processTable.isIncompatible();
  const subscribe = (check: () => void) =>
    events.subscribe((event) => {
      if (event.type === "host_upsert") check();
    });
  await untilWithin(isKnown, subscribe, { forMs: HELLO_TIMEOUT_MS, signal });
}
