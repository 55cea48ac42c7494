import { messageOf } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { HostLog } from "../../../contract/messages.ts";
import type { EndedManager, KeptManager, Launch } from "../contract.ts";
import type { RestartStatus } from "../restart-status.ts";
import { delayOf, isStable } from "./restart-delays.ts";

/** How a program ended; `problem`: it could not be started. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly problem?: string;
}

/** A manager that was started here. */
export interface StartedManager {
  /** Null: it could not be started. */
  readonly pid: number | null;
  /** Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to end. */
  stop(): void;
}

export interface ManagerKeeperOptions {
  readonly clock: Clock;
  /** Returns a function that checks whether this process, and not a later one with its pid, is alive. */
  readonly watch: (pid: number) => () => boolean;
  /** Whether a process has the manager's lock. */
  readonly isLocked: () => Promise<boolean>;
  readonly start: (launch: Launch) => StartedManager;
  /** The end of what the last manager wrote to its standard error. */
  readonly lastOutput: () => string;
  /** Publishes what commands can say about a manager that is away; null: nothing. */
  readonly publish: (status: Omit<RestartStatus, "daemon_pid"> | null) => void;
  readonly log: (level: HostLog["level"], msg: string) => void;
}

type State =
  /** There is no manager, or it is not to be started again. */
  | { readonly kind: "idle" }
  | {
      readonly kind: "running";
      readonly launch: Launch;
      readonly pid: number;
      readonly child: StartedManager | null;
      readonly since: number;
    }
  | { readonly kind: "waiting"; readonly launch: Launch }
  | { readonly kind: "starting"; readonly launch: Launch; readonly child: StartedManager };

/** Interval of checks for the end of a manager whose connection was lost, milliseconds. */
const CHECK_INTERVAL_MS = 50;
/** Delay if another program has the manager's lock: perhaps a manager that a user has just started, milliseconds. */
const LOCKED_MS = 1_000;
/** Exit codes of `mgr up` for an unusable configuration and for unknown names (`src/cli/command/exit-codes.ts`): a further try has the same result. */
const FINAL_CODES: ReadonlySet<number | null> = new Set([2, 3]);

/**
 * Starts a manager again that ended unexpectedly. The manager's lock decides which one runs: of two that start at the same moment, one ends by
 * itself, and the one that greets this daemon is left alone.
 */
export class ManagerKeeper {
  readonly #options: ManagerKeeperOptions;
  #state: State = { kind: "idle" };
  #timer: unknown = null;
  /** The first of the ends since a manager was running, until it is reported to the next one. */
  #ended: EndedManager | null = null;
  /** Number of ends in a row without a long life between them. */
  #failures = 0;
  #isClosed = false;

  constructor(options: ManagerKeeperOptions) {
    this.#options = options;
  }

  /** State for the next program. */
  handOver(): KeptManager {
    const state = this.#state;
    if (state.kind === "idle") return null;
    const pid = state.kind === "running" ? state.pid : state.kind === "starting" ? state.child.pid : null;
    return { launch: state.launch, pid, failures: this.#failures };
  }

  /** Continues as the program before this one did. Of a manager that was started here, only its pid is known from now on. */
  take(kept: KeptManager): void {
    if (kept === null) return;
    const { launch, pid, failures } = kept;
    this.#failures = failures;
    if (pid === null) this.#startLater(launch, delayOf(failures));
    else {
      this.#enter({ kind: "running", launch, pid, child: null, since: this.#options.clock.monotonic() });
      // It may have ended meanwhile; a greeting says that it has not.
      this.linkLost();
    }
  }

  /** The manager with this pid is to be started again when it ends. Returns the end of the one that it replaces; null: none. */
  keep(pid: number, launch: Launch): EndedManager | null {
    if (this.#isClosed) return null;
    const state = this.#state;
    const isKnown = state.kind === "running" && state.pid === pid;
    const child = state.kind === "starting" && state.child.pid === pid ? state.child : isKnown ? state.child : null;
    const since = isKnown ? state.since : this.#options.clock.monotonic();
    this.#enter({ kind: "running", launch, pid, child, since });
    this.#options.publish(null);
    const replaced = this.#ended;
    this.#ended = null;
    return replaced;
  }

  /** The manager ends by the will of a user, or is not to be started again. */
  release(): void {
    this.#forget();
  }

  /** A manager has greeted this daemon: if it is another one than was expected, a user started it, and it says itself if it is to be kept. */
  greeted(pid: number): void {
    const state = this.#state;
    if (state.kind === "running" && state.pid === pid) this.#clearTimer();
    else if (state.kind !== "starting" || state.child.pid !== pid) this.#forget();
  }

  /** The connection to the manager was lost: perhaps it has ended. */
  linkLost(): void {
    const state = this.#state;
    // The end of a child is reported, with its signal.
    if (state.kind !== "running" || state.child !== null || this.#timer !== null) return;
    const isAlive = this.#options.watch(state.pid);
    const check = () => {
      if (isAlive()) this.#after(CHECK_INTERVAL_MS, check);
      else this.#managerEnded(state, null);
    };
    check();
  }

  /** Nothing is started any more; a manager that is just starting is requested to end. */
  close(): void {
    this.#isClosed = true;
    if (this.#state.kind === "starting") this.#state.child.stop();
    this.#forget();
  }

  #managerEnded({ launch, pid, since }: Extract<State, { kind: "running" }>, how: string | null): void {
    const { clock, lastOutput, log } = this.#options;
    if (isStable(clock.monotonic() - since)) this.#failures = 0;
    this.#ended = { pid, at: clock.now(), how, last_output: lastOutput(), starts: 0 };
    log("error", `the manager (pid ${pid}) ended unexpectedly${how === null ? "" : ` (${how})`}`);
    this.#startLater(launch, delayOf(this.#failures++));
  }

  #startLater(launch: Launch, delayMs: number): void {
    const state: State = { kind: "waiting", launch };
    this.#enter(state);
    this.#publish({ next_at: this.#options.clock.now() + delayMs, problem: null });
    this.#after(delayMs, () => void this.#startUnlessLocked(state));
  }

  async #startUnlessLocked(state: Extract<State, { kind: "waiting" }>): Promise<void> {
    const isLocked = await this.#options.isLocked().catch((error: unknown) => {
      this.#options.log("warning", `cannot check whether a manager runs: ${messageOf(error)}`);
      return true;
    });
    if (this.#state !== state) return;
    if (isLocked) this.#startLater(state.launch, LOCKED_MS);
    else this.#start(state.launch);
  }

  #start(launch: Launch): void {
    const child = this.#options.start(launch);
    this.#enter({ kind: "starting", launch, child });
    this.#options.log("info", `the manager is started again${child.pid === null ? "" : ` (pid ${child.pid})`}`);
    if (this.#ended !== null) this.#ended = { ...this.#ended, starts: this.#ended.starts + 1 };
    this.#publish({ next_at: null, problem: null });
    void child.ended.then((end) => this.#childEnded(child, end));
  }

  #childEnded(child: StartedManager, end: ProgramEnd): void {
    const state = this.#state;
    if (state.kind === "running" && state.child === child) {
      // Without an error it ended because it was asked to, although it could not say so.
      if (end.code === 0) this.#forget();
      else this.#managerEnded(state, howOf(end));
    } else if (state.kind === "starting" && state.child === child) this.#startFailed(state.launch, end);
  }

  #startFailed(launch: Launch, end: ProgramEnd): void {
    const { lastOutput, log } = this.#options;
    const problem = end.problem ?? withoutName(lastOutput()) ?? howOf(end);
    if (FINAL_CODES.has(end.code)) {
      log("error", `the manager is not started again until a user does it: ${problem}`);
      this.#enter({ kind: "idle" });
      this.#publish({ next_at: null, problem });
      return;
    }
    const delayMs = delayOf(this.#failures++);
    log("warning", `the manager could not be started (${howOf(end)}); next try in ${delayMs / 1_000} s: ${problem}`);
    this.#startLater(launch, delayMs);
  }

  #forget(): void {
    this.#ended = null;
    this.#failures = 0;
    this.#enter({ kind: "idle" });
    this.#options.publish(null);
  }

  #publish(next: Pick<RestartStatus, "next_at" | "problem">): void {
    if (this.#ended === null) return;
    const { at, how } = this.#ended;
    this.#options.publish({ ended_at: at, how, ...next });
  }

  #enter(state: State): void {
    this.#clearTimer();
    this.#state = state;
  }

  #after(delayMs: number, work: () => void): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = null;
      work();
    }, delayMs);
  }

  #clearTimer(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function howOf({ code, signal, problem }: ProgramEnd): string {
  return problem ?? signal ?? `exit code ${code}`;
}

/** Text of an error without the command name that begins it; null: there is none. */
function withoutName(output: string): string | null {
  const text = output.trim().replace(/^mgr: /, "");
  return text === "" ? null : text;
}
