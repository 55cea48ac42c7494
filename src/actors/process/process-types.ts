import type { Clock } from "../../base/clock.ts";
import type { ProcessDefinition } from "../../config/definition.ts";
import type { PendingRun, RequestOrigin } from "../../config/state/process-intent.ts";
import type { ProcessSettings } from "../../config/state/settings.ts";
import type { RunReport } from "../../contract/run.ts";
import type { ProcessState, RequestedState } from "../../protocol/resources/resources.ts";

/** `by` of requests that come from the configuration, not from a user. */
export const BY_CONFIGURATION = "the configuration";

export interface TerminalSize {
  readonly rows: number;
  readonly cols: number;
}

/** `by` is the user's name, or BY_CONFIGURATION. */
export type ProcessCommand =
  | { type: "start" | "restart"; by: string }
  /** `stoppedWith`: the dependency whose stop also stops this process; omitted if its own stop was requested. */
  | { type: "stop"; by: string; stoppedWith?: string | undefined };

export type ProcessEvent =
  | ProcessCommand
  /** From watchDependencies. `impossible` says why they can no longer be met, or is null. */
  | { type: "dependencies"; missing: readonly string[]; impossible: string | null }
  | { type: "host.ready" }
  | { type: "host.lost" }
  /** The host's daemon is dead, and everything it ran. */
  | { type: "host.died" }
  /**
   * What the host's run table says, after a hello or a reconnect. `run: null` means that this daemon has never run it. Send it only if the
   * table is complete and was requested after the last spawn was answered: a paged report can miss a run that began meanwhile. `host` is
   * set if the run was found on an unexpected host, and `lost` if the daemon before did not stop its processes: what happened to it.
   */
  | { type: "report"; run: RunReport | null; host?: string | null; lost?: string | null }
  | { type: "run.spawned"; run: RunReport }
  | { type: "run.ready"; run: RunReport }
  | { type: "run.exited"; run: RunReport }
  | { type: "run.extinct"; run: RunReport }
  | { type: "liveness.failed"; reason: string }
  /** A file that `watch` matches has changed: restarts the process if it is running. */
  | { type: "files.changed"; path: string }
  | { type: "winch"; rows: number; cols: number }
  /** All settings of users. The next start uses them. */
  | { type: "settings"; settings: ProcessSettings }
  | { type: "definition"; definition: ProcessDefinition }
  /** The run has lived for `restart.stable_after`. */
  | { type: "stable" }
  /** What was asked for with `spawn` could not be done: `spawn_failed`, or DependenciesLost. */
  | { type: "spawn.failed"; error: unknown }
  /** What was asked for with `stop_run` is over: the host says `not_running`. If the host accepts it, run.extinct follows. */
  | { type: "stop.gone" }
  /** An effect ended in a way that its contract excludes: a defect. */
  | { type: "effect.failed"; error: unknown };

export type ProcessEmitted =
  /** The visible state changed; emitted once per change. The snapshot is already that of the new state. */
  | { type: "changed"; from: ProcessState; to: ProcessState; reason: string | null }
  /** The first report showed a run of an earlier manager. Emitted instead of `changed`, because nothing has changed now. */
  | { type: "adopted"; state: ProcessState; reason: string | null }
  /** requested_state changed, or a start was requested again. Emitted before any effect of the same turn begins. */
  | { type: "intent"; requested_state: RequestedState; origin: RequestOrigin | null }
  /**
   * A run was requested and has not begun; null once it has begun, failed or was cancelled. Emitted before any effect of the same turn
   * begins.
   */
  | { type: "pending_run"; pending: PendingRun | null }
  | { type: "note"; level: "info" | "warning" | "error"; msg: string }
  | EffectRequest;

/**
 * What the host is asked to do, at most one thing at a time for each process. Events instead of invoked actors: with thousands of processes,
 * an actor for each start and stop costs as much as the transition that makes it (bench/NOTES.md, "Start of 1,000 processes").
 */
export type EffectRequest =
  /** Answered by `run.spawned`, or `spawn.failed`. */
  | { type: "spawn"; run: SpawnInput }
  /** Answered by `run.extinct` once the host has carried it out, or `stop.gone`. Asked again while it is under way, it is not begun anew. */
  | { type: "stop_run"; run: StopInput }
  /** The last request counts no longer: it is not sent to the host if it was not sent yet, and not answered. */
  | { type: "abandon" };

export interface ProcessInput {
  readonly definition: ProcessDefinition;
  /** From the intent file, else by autostart. */
  readonly requested: RequestedState;
  /** From the intent file: which user asked for it. */
  readonly origin?: RequestOrigin | null;
  /** From the intent file: an earlier manager accepted a start or restart whose run had not begun. */
  readonly pendingRun?: PendingRun | null;
  /** The saved requests were lost: the request is inferred from the host's first report. */
  readonly isIntentLost?: boolean;
  /** What is shown until the host's first report: "stopped", or after a rebuild the last state that was shown. */
  readonly shown?: ProcessState;
  readonly size?: TerminalSize | null;
  readonly settings?: ProcessSettings;
  readonly hostReady?: boolean;
  /** Where the newest run of an earlier manager was; the definition's host if left out. */
  readonly host?: string | null;
  /** The same clock as the actor system's. */
  readonly clock: Clock;
  /** A new id `<epoch>-<n>`, larger than every one before. */
  readonly nextRunId: () => string;
  /** The newest id in use, of any process. */
  readonly lastRunId: () => string;
}

/** Nothing was sent to the host: the process's dependencies no longer hold. */
export class DependenciesLost extends Error {}

/** A run to start. Everything but `spawn_failed` and DependenciesLost is tried again. */
export interface SpawnInput {
  readonly runId: string;
  readonly definition: ProcessDefinition;
  /** Of the last send_winch; null: the definition's. */
  readonly size: TerminalSize | null;
  readonly settings: ProcessSettings;
  /** At most 4 KiB: restart counters, for the manager after this one. */
  readonly memo: string;
}

/** A run to stop. */
export interface StopInput {
  readonly runId: string;
  readonly host: string | null;
  readonly definition: ProcessDefinition;
}

/** Input of watchDependencies: sends `dependencies` at once and whenever they change. */
export interface WatchInput {
  readonly definition: ProcessDefinition;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
  /** Unix milliseconds: the host's clock for a run that ended, the manager's for one that never began. */
  readonly time: number;
}

/** Why a living run is being stopped; null: because a user asked. */
export type StopCause = { readonly reason: string } | null;

export interface ProcessContext {
  readonly clock: Clock;
  readonly nextRunId: () => string;
  readonly lastRunId: () => string;
  /** The newest definition; the next run uses it. */
  readonly definition: ProcessDefinition;
  /** The definition that the current run was started with, if this manager knows it. */
  readonly runDefinition: ProcessDefinition;
  /** The settings that the current run was started with. */
  readonly runSettings: ProcessSettings;
  readonly requested: RequestedState;
  /** null: the configuration asked for it. */
  readonly origin: RequestOrigin | null;
  /** See `ProcessInput`. */
  readonly isIntentLost: boolean;
  /** The state that was last announced. */
  readonly shown: ProcessState;
  /** No host has reported yet, and no actor before this one has shown anything. */
  readonly isNew: boolean;
  /** The next state results from the first report. */
  readonly isAdopting: boolean;
  /** Newest run id known; events of older ones are ignored. */
  readonly runId: string | null;
  /** Newest report of the newest run that a host has reported. */
  readonly run: RunReport | null;
  /** The host has another daemon, which never reported the end of `run`: nothing of it is left. */
  readonly runGone: boolean;
  /** Host of the newest run: a configured host, or null for the manager's own. The next run begins on the host of `definition`. */
  readonly host: string | null;
  /** Monotonic time at which `run` began. */
  readonly runBegan: number;
  /** Monotonic time at which `run`'s leader ended; null while it lives. */
  readonly runEnded: number | null;
  readonly exit: ProcessExit | null;
  /** null while a run lives and before the first. */
  readonly lastRunSucceeded: boolean | null;
  readonly size: TerminalSize | null;
  readonly settings: ProcessSettings;
  readonly hostReady: boolean;
  /** The run ended with its daemon: the restart policy waits for a new one. */
  readonly daemonDied: boolean;
  readonly waitingFor: readonly string[];
  /** Restarts since the last requested start. */
  readonly restarts: number;
  /** Failures in a row, for the backoff's growth. */
  readonly attempt: number;
  /** Restarts after failures in a row, with no run of `restart.reset_after` between them. */
  readonly failures: number;
  /** The process failed, and no run has lived for `restart.stable_after` since. */
  readonly unstable: boolean;
  /** Monotonic times of restarts within the policy's window. */
  readonly restartTimes: readonly number[];
  /** Unix milliseconds, and the same on the monotonic clock; null outside backoff. */
  readonly nextStart: { readonly time: number; readonly monotonic: number } | null;
  /** A start or restart was accepted, and its run has not begun. */
  readonly pendingRun: PendingRun | null;
  readonly stopCause: StopCause;
  /** The sentence for the next `changed`. */
  readonly reason: string | null;
}
