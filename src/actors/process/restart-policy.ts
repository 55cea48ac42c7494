import { CRASH_LOOP } from "./failure-words.ts";
import type { ProcessContext } from "./process-types.ts";

/** Whether another run follows the end of the current one: the policy allows it, and there is no crash loop. */
export function mayRestart(context: ProcessContext): boolean {
  return policyAllows(context) && !isCrashLoop(context);
}

function policyAllows(context: ProcessContext): boolean {
  const { policy } = context.definition.restart;
  if (context.requested !== "start") return false;
  if (context.stopCause?.isRecycled) return true;
  if (policy === "never" || neverRan(context)) return false;
  return policy === "always" || !endedWell(context);
}

/** Whether the host recorded a failed spawn: a retry would fail again. */
function neverRan(context: ProcessContext): boolean {
  return (context.run?.exit?.reason ?? null) !== null && !context.daemonDied;
}

/** Whether the run ended by itself with a success code. */
export function endedWell(context: ProcessContext): boolean {
  return context.stopCause === null && !context.daemonDied && context.lastRunSucceeded === true;
}

function isCrashLoop(context: ProcessContext): boolean {
  const { max_restarts } = context.definition.restart;
  return recentRestarts(context).length >= max_restarts || failuresInARow(context) >= max_restarts;
}

/**
 * Restarts after failures since a run last lived for `reset_after`. Counted without a time window, because long delays would exceed any.
 */
function failuresInARow(context: ProcessContext): number {
  return hasLasted(context) || endedWell(context) ? 0 : context.failures;
}

/** Whether the run that just ended lived long enough for its end to count as the first one. */
function hasLasted(context: ProcessContext): boolean {
  return endTime(context) - context.runBegan >= context.definition.restart.reset_after;
}

function recentRestarts(context: ProcessContext): number[] {
  // Measured from the run's end, so that a manager that learns of it later decides the same.
  const oldest = endTime(context) - context.definition.restart.window;
  return context.restartTimes.filter((time) => time > oldest);
}

/** Monotonic time of the run's end. */
function endTime(context: ProcessContext): number {
  return context.runEnded ?? context.clock.monotonic();
}

/** The backoff after the run that just ended. */
export function scheduleRestart(context: ProcessContext): Partial<ProcessContext> {
  const { delay, factor, max_delay } = context.definition.restart;
  const { clock } = context;
  const attempt = hasLasted(context) ? 0 : context.attempt;
  // A large power is Infinity, which `max_delay` limits; 0 × Infinity would be NaN.
  const full = delay === 0 ? 0 : Math.min(max_delay, delay * factor ** attempt);
  const monotonic = clock.monotonic();
  const rest = Math.max(0, full - (monotonic - endTime(context)));
  return {
    attempt: attempt + 1,
    failures: endedWell(context) ? 0 : failuresInARow(context) + 1,
    unstable: !endedWell(context),
    restartTimes: [...recentRestarts(context), monotonic],
    nextStart: { time: clock.now() + rest, monotonic: monotonic + rest },
  };
}

/** Why the process is in `error` or `backoff` now: the end of a sentence that begins with its name. */
export function failureReason(context: ProcessContext): string {
  return exitReason(context) ?? plainEnd(context);
}

/** The reason of an exit that code and signal do not explain; otherwise null. */
export function exitReason(context: ProcessContext): string | null {
  const { restart } = context.definition;
  const cause = context.stopCause?.reason ?? context.exit?.reason ?? null;
  if (!policyAllows(context) || !isCrashLoop(context)) return cause;
  const isRapid = recentRestarts(context).length >= restart.max_restarts;
  const times = isRapid ? `within ${restart.window / 1_000} s` : `in a row, and never ran for ${restart.reset_after / 1_000} s`;
  return `${CRASH_LOOP}restarted ${restart.max_restarts} times ${times}, at last ${cause ?? plainEnd(context)}`;
}

function plainEnd({ exit }: ProcessContext): string {
  if (exit?.signal) return `killed by ${exit.signal}`;
  return exit === null || exit.code === null ? "ended; its exit status is not known" : `exited with code ${exit.code}`;
}
