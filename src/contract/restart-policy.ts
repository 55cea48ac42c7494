// Decides whether another run follows the end of one, and when: for the manager, and for a host that has no manager.
import { CRASH_LOOP } from "./failure-words.ts";

/** The restart policy of a process; times in milliseconds. The configuration's schema describes the fields. */
export interface RestartRules {
  readonly policy: "never" | "on-failure" | "always";
  readonly delay: number;
  readonly factor: number;
  readonly max_delay: number;
  readonly max_restarts: number;
  readonly window: number;
  readonly reset_after: number;
}

/** Number and times of restarts of a process. */
export interface RestartCounters {
  /** Restarts since the last requested start. */
  readonly restarts: number;
  /** Failures in a row, for the backoff's growth. */
  readonly attempt: number;
  /** Restarts after failures in a row, with no run of `reset_after` between them. */
  readonly failures: number;
  /** Monotonic times of restarts within the policy's window. */
  readonly restartTimes: readonly number[];
}

export const NO_RESTARTS: RestartCounters = { restarts: 0, attempt: 0, failures: 0, restartTimes: [] };

/** Why a living run is being stopped; null: a user requested it. */
export type StopCause = {
  readonly reason: string;
  /** Whether another run follows under every restart policy. */
  readonly isRecycled?: boolean;
} | null;

/** A run that has ended, with everything that the decision depends on. Times are monotonic milliseconds of one clock. */
export interface EndedRun extends RestartCounters {
  readonly rules: RestartRules;
  /** Whether the process is requested to run. */
  readonly isRequested: boolean;
  readonly began: number;
  readonly ended: number;
  readonly exit: { readonly code: number | null; readonly signal: string | null; readonly reason: string | null } | null;
  /** Whether its program ended with a success code. */
  readonly hasSucceeded: boolean;
  /** Whether its program could not be started: a retry would fail again. */
  readonly neverRan: boolean;
  readonly stopCause: StopCause;
  /** Whether it ended because its host's daemon died. */
  readonly daemonDied: boolean;
}

/** Whether another run follows: the policy allows it, and there is no crash loop. */
export function mayRestart(run: EndedRun): boolean {
  return policyAllows(run) && !isCrashLoop(run);
}

function policyAllows(run: EndedRun): boolean {
  const { policy } = run.rules;
  if (!run.isRequested) return false;
  if (run.stopCause?.isRecycled) return true;
  if (policy === "never" || (run.neverRan && !run.daemonDied)) return false;
  return policy === "always" || !endedWell(run);
}

/** Whether the run ended by itself with a success code. */
export function endedWell({ stopCause, daemonDied, hasSucceeded }: EndedRun): boolean {
  return stopCause === null && !daemonDied && hasSucceeded;
}

/** Whether an exit is one of the configured successes. */
export function isSuccess({ code, signal, reason }: NonNullable<EndedRun["exit"]>, successCodes: readonly number[]): boolean {
  return reason === null && signal === null && code !== null && successCodes.includes(code);
}

function isCrashLoop(run: EndedRun): boolean {
  const { max_restarts } = run.rules;
  return recentRestarts(run).length >= max_restarts || failuresInARow(run) >= max_restarts;
}

/**
 * Restarts after failures since a run last lived for `reset_after`. Counted without a time window, because long delays would exceed any.
 */
function failuresInARow(run: EndedRun): number {
  return hasLasted(run) || endedWell(run) ? 0 : run.failures;
}

/** Whether the run lived long enough for its end to count as the first one. */
function hasLasted({ began, ended, rules }: EndedRun): boolean {
  return ended - began >= rules.reset_after;
}

function recentRestarts({ ended, rules, restartTimes }: EndedRun): number[] {
  // Measured from the run's end, so that the result is the same when the end is learned later.
  const oldest = ended - rules.window;
  return restartTimes.filter((time) => time > oldest);
}

/** The counters after the run, except `restarts`, which counts when the next run begins, and the monotonic time of that. */
export function planRestart(run: EndedRun, now: number): Omit<RestartCounters, "restarts"> & { readonly due: number } {
  const { delay, factor, max_delay } = run.rules;
  const attempt = hasLasted(run) ? 0 : run.attempt;
  // A large power is Infinity, which `max_delay` limits; 0 × Infinity would be NaN.
  const full = delay === 0 ? 0 : Math.min(max_delay, delay * factor ** attempt);
  return {
    attempt: attempt + 1,
    failures: endedWell(run) ? 0 : failuresInARow(run) + 1,
    restartTimes: [...recentRestarts(run), now],
    due: now + Math.max(0, full - (now - run.ended)),
  };
}

/** Why the process failed or is restarted: the end of a sentence that begins with its name. */
export function failureReason(run: EndedRun): string {
  return exitReason(run) ?? plainEnd(run);
}

/** The reason of an exit that code and signal do not explain; otherwise null. */
export function exitReason(run: EndedRun): string | null {
  const { rules } = run;
  const cause = run.stopCause?.reason ?? run.exit?.reason ?? null;
  if (!policyAllows(run) || !isCrashLoop(run)) return cause;
  const isRapid = recentRestarts(run).length >= rules.max_restarts;
  const times = isRapid ? `within ${rules.window / 1_000} s` : `in a row, and never ran for ${rules.reset_after / 1_000} s`;
  return `${CRASH_LOOP}restarted ${rules.max_restarts} times ${times}, at last ${cause ?? plainEnd(run)}`;
}

function plainEnd({ exit }: EndedRun): string {
  if (exit?.signal) return `killed by ${exit.signal}`;
  return exit === null || exit.code === null ? "ended; its exit status is not known" : `exited with code ${exit.code}`;
}
