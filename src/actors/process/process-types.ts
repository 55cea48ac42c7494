import type { Clock } from "../../base/timing/clock.ts";
import type { ProcessDefinition } from "../../config/definition.ts";
import type { PendingRun, RequestOrigin } from "../../config/state/process-intent.ts";
import type { ProcessSettings } from "../../config/state/process-settings.ts";
import type { StopCause } from "../../contract/restart-policy.ts";
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
  /** Sent by watchDependencies. `impossible` is the reason why the dependencies can no longer be met, or null. */
  | { type: "dependencies"; missing: readonly string[]; impossible: string | null }
  | { type: "host.lost" }
  /** The host's daemon is dead, and so is everything that it ran. */
  | { type: "host.died" }
  /**
   * The entry of the host's run table, after a hello or a reconnect. `run: null` means that this daemon has never run it. Send it only if the table
   * is complete and was requested after the last spawn was answered: a paged report can miss a run that began meanwhile. `host` is set if the run
   * was found on an unexpected host, and `lost` if the previous daemon did not stop its processes: the reason why it ended.
   */
  | { type: "report"; run: RunReport | null; host?: string | null; lost?: string | null }
  | { type: "run.spawned"; run: RunReport }
  | { type: "run.ready"; run: RunReport }
  | { type: "run.exited"; run: RunReport }
  | { type: "run.extinct"; run: RunReport }
  | { type: "liveness.failed"; reason: string }
  /** The run is to be replaced by another one, whatever the restart policy is, as often as the policy's window allows. */
  | { type: "recycle"; runId: string; reason: string }
  /** A file that `watch` matches has changed: restarts the process if it is running. */
  | { type: "files.changed"; path: string }
  | { type: "winch"; rows: number; cols: number }
  /** All settings of users. The next start uses them. */
  | { type: "settings"; settings: ProcessSettings }
  | { type: "definition"; definition: ProcessDefinition }
  /** The run has lived for `restart.stable_after`. */
  | { type: "stable" }
  /** A `spawn` request failed with `spawn_failed` or DependenciesLost. */
  | { type: "spawn.failed"; error: unknown }
  /** The run of a `stop_run` request is over: the host answered `not_running`. If the host accepts the request, run.extinct follows. */
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
 * Requests to the host, at most one at a time for each process. Events are used instead of invoked actors: with thousands of processes, an actor
 * for each start and stop costs as much as the transition that makes it (bench/NOTES.md, "Start of 1,000 processes").
 */
export type EffectRequest =
  /** Answered by `run.spawned`, or `spawn.failed`. */
  | { type: "spawn"; run: SpawnInput }
  /** Answered by `run.extinct` once the host has carried it out, or `stop.gone`. A repeated request does not restart a stop under way. */
  | { type: "stop_run"; run: StopInput }
  /** Drops the last request: it is not sent to the host if it was not sent yet, and not answered. */
  | { type: "abandon" };

export interface ProcessInput {
  readonly definition: ProcessDefinition;
  /** The requested state, from the intent file, else by autostart. */
  readonly requested: RequestedState;
  /** The user's request, from the intent file. */
  readonly origin?: RequestOrigin | null;
  /** A start or restart from the intent file that an earlier manager accepted and whose run had not begun. */
  readonly pendingRun?: PendingRun | null;
  /** Whether the saved requests were lost: then the request is inferred from the host's first report. */
  readonly isIntentLost?: boolean;
  /** The state shown until the host's first report: "stopped", or after a rebuild the last state that was shown. */
  readonly shown?: ProcessState;
  readonly size?: TerminalSize | null;
  readonly settings?: ProcessSettings;
  /** Host of the newest run of an earlier manager; the definition's host if omitted. */
  readonly host?: string | null;
  /** Clock of the actor system. */
  readonly clock: Clock;
  /** Returns a new id `<epoch>-<n>`, larger than every one before. */
  readonly nextRunId: () => string;
  /** Returns the newest id in use, of any process. */
  readonly lastRunId: () => string;
}

/** The process's dependencies no longer hold, so nothing was sent to the host. */
export class DependenciesLost extends Error {}

/** A run to start. Failures other than `spawn_failed` and DependenciesLost are retried. */
export interface SpawnInput {
  readonly runId: string;
  readonly definition: ProcessDefinition;
  /** Terminal size of the last send_winch; null: the definition's. */
  readonly size: TerminalSize | null;
  readonly settings: ProcessSettings;
  /** Restart counters for the next manager, at most 4 KiB. */
  readonly memo: string;
  /** The newest run that its host has reported; null: none. */
  readonly after: string | null;
}

/** A run to stop. */
export interface StopInput {
  readonly runId: string;
  readonly host: string | null;
  readonly definition: ProcessDefinition;
  /** Whether another run is to follow. */
  readonly isWanted: boolean;
  readonly cause: StopCause;
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
  /** The request that set `requested`; null: it came from the configuration. */
  readonly origin: RequestOrigin | null;
  /** See `ProcessInput`. */
  readonly isIntentLost: boolean;
  /** The state that was last announced. */
  readonly shown: ProcessState;
  /** Whether no host has reported yet, and no earlier actor has shown a state. */
  readonly isNew: boolean;
  /** Whether the next state results from the first report. */
  readonly isAdopting: boolean;
  /** Newest run id known; events of older ones are ignored. */
  readonly runId: string | null;
  /** Newest report of the newest run that a host has reported. */
  readonly run: RunReport | null;
  /** Whether nothing of `run` is left although its end was not reported: the host has another daemon. */
  readonly runGone: boolean;
  /** Host of the newest run: a configured host, or null for the manager's own. The next run begins on the host of `definition`. */
  readonly host: string | null;
  /** Monotonic time at which `run` began. */
  readonly runBegan: number;
  /** Monotonic time at which `run`'s leader ended; null while it lives. */
  readonly runEnded: number | null;
  readonly exit: ProcessExit | null;
  /** Whether the newest run succeeded; null while a run lives and before the first. */
  readonly lastRunSucceeded: boolean | null;
  readonly size: TerminalSize | null;
  readonly settings: ProcessSettings;
  /** Whether the host was lost, and has not reported since: it may have restarted the process. Nothing is decided until its report. */
  readonly isFrozen: boolean;
  /** Whether the run ended with its daemon: the restart policy waits for a new one. */
  readonly daemonDied: boolean;
  readonly waitingFor: readonly string[];
  /** Restarts since the last requested start. */
  readonly restarts: number;
  /** Failures in a row, for the backoff's growth. */
  readonly attempt: number;
  /** Restarts after failures in a row, with no run of `restart.reset_after` between them. */
  readonly failures: number;
  /** Whether the process failed, and no run has lived for `restart.stable_after` since. */
  readonly unstable: boolean;
  /** Monotonic times of restarts within the policy's window. */
  readonly restartTimes: readonly number[];
  /** Time of the next restart, Unix milliseconds, and the same on the monotonic clock; null outside backoff. */
  readonly nextStart: { readonly time: number; readonly monotonic: number } | null;
  /** An accepted start or restart whose run has not begun. */
  readonly pendingRun: PendingRun | null;
  readonly stopCause: StopCause;
  /** The reason for the next `changed`. */
  readonly reason: string | null;
}
