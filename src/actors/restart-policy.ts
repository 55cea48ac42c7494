import type { ProcessContext } from "./process-types.ts";

/** Whether the end of the current run leads to another one: the policy, and no crash loop. */
export function mayRestart(context: ProcessContext): boolean {
  return policyAllows(context) && !isCrashLoop(context);
}

function policyAllows(context: ProcessContext): boolean {
  const { policy } = context.definition.restart;
  if (context.requested !== "start" || policy === "never" || neverRan(context)) return false;
  return policy === "always" || !endedWell(context);
}

/** The host's record of a spawn that failed. Trying again would fail again. */
function neverRan(context: ProcessContext): boolean {
  return (context.run?.exit?.reason ?? null) !== null && !context.daemonDied;
}

/** Ended by itself with a success code. */
export function endedWell(context: ProcessContext): boolean {
  return context.stopCause === null && !context.daemonDied && context.lastRunSucceeded === true;
}

function isCrashLoop(context: ProcessContext): boolean {
  return recentRestarts(context).length >= context.definition.restart.max_restarts;
}

function recentRestarts(context: ProcessContext): number[] {
  // Seen from the run's end: the verdict is the same for a manager that learns of it later.
  const oldest = endTime(context) - context.definition.restart.window;
  return context.restartTimes.filter((time) => time > oldest);
}

/** Monotonic. */
function endTime(context: ProcessContext): number {
  return context.runEnded ?? context.clock.monotonic();
}

/** The backoff after the run that just ended. */
export function scheduleRestart(context: ProcessContext): Partial<ProcessContext> {
  const { delay, factor, max_delay, reset_after } = context.definition.restart;
  const { clock } = context;
  const attempt = endTime(context) - context.runBegan >= reset_after ? 0 : context.attempt;
  // A large power is Infinity, which the cap takes care of; 0 × Infinity would not be a number.
  const full = delay === 0 ? 0 : Math.min(max_delay, delay * factor ** attempt);
  const monotonic = clock.monotonic();
  const rest = Math.max(0, full - (monotonic - endTime(context)));
  return {
    attempt: attempt + 1,
    restartTimes: [...recentRestarts(context), monotonic],
    nextStart: { time: clock.now() + rest, monotonic: monotonic + rest },
  };
}

/** Why the process is in `error` or `backoff` now: the end of a sentence that begins with its name. */
export function failureReason(context: ProcessContext): string {
  return exitReason(context) ?? plainEnd(context);
}

/** What code and signal do not say; null when they say it all. */
export function exitReason(context: ProcessContext): string | null {
  const { restart } = context.definition;
  const cause = context.stopCause?.reason ?? context.exit?.reason ?? null;
  if (!policyAllows(context) || !isCrashLoop(context)) return cause;
  return `crash loop: restarted ${restart.max_restarts} times within ${restart.window / 1_000} s, at last ${cause ?? plainEnd(context)}`;
}

function plainEnd({ exit }: ProcessContext): string {
  if (exit?.signal) return `killed by ${exit.signal}`;
  return exit === null || exit.code === null ? "ended, nobody saw how" : `exited with code ${exit.code}`;
}
