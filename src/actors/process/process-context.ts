import type { PendingRun } from "../../config/state/process-intent.ts";
import { NO_SETTINGS } from "../../config/state/process-settings.ts";
import { isSuccess, type StopCause } from "../../contract/restart-policy.ts";
import type { RunExit, RunReport } from "../../contract/run.ts";
import { compareRunIds, isStartedByHost, managerRunOf } from "../../contract/run-ids.ts";
import { readMemo } from "../../contract/run-memo.ts";
import type { ProcessContext, ProcessEvent, ProcessExit, ProcessInput } from "./process-types.ts";

export const DAEMON_DIED = "host daemon died";

/**
 * The fields are set one by one, by name, so that V8 has a hidden class for an object that gets these properties in this order, as each `assign` of
 * xstate makes one (`Object.assign({}, context, …)`). Without it, more than 16 properties become a hash table: ten times the memory, and an
 * `assign` costs 13 µs instead of 1. A literal or a spread makes hidden classes of its own, which such copies do not find.
 */
export function initialContext(input: ProcessInput): ProcessContext {
  const context = {} as { -readonly [Field in keyof ProcessContext]: ProcessContext[Field] };
  context.clock = input.clock;
  context.nextRunId = input.nextRunId;
  context.lastRunId = input.lastRunId;
  context.definition = input.definition;
  context.runDefinition = input.definition;
  context.runSettings = input.settings ?? NO_SETTINGS;
  context.requested = input.requested;
  context.origin = input.origin ?? null;
  context.isIntentLost = input.isIntentLost ?? false;
  context.shown = input.shown ?? "stopped";
  context.isNew = input.shown === undefined;
  context.isAdopting = false;
  context.runId = null;
  context.run = null;
  context.runGone = false;
  context.host = input.host === undefined ? input.definition.host : input.host;
  context.runBegan = 0;
  context.runEnded = null;
  context.exit = null;
  context.lastRunSucceeded = null;
  context.size = input.size ?? null;
  context.settings = input.settings ?? NO_SETTINGS;
  context.isFrozen = false;
  context.daemonDied = false;
  context.waitingFor = [];
  context.restarts = 0;
  context.attempt = 0;
  context.failures = 0;
  context.unstable = false;
  context.restartTimes = [];
  context.nextStart = null;
  context.pendingRun = input.pendingRun ?? null;
  context.stopCause = null;
  context.reason = null;
  return context;
}

/**
 * Whether `run` carries out a pending start or restart. A host without this manager knows nothing of it, and may have begun its run before: one
 * that lives still fulfils a start.
 */
export function carriesOut(run: RunReport, { after, replace }: PendingRun): boolean {
  if (compareRunIds(run.run_id, after) <= 0) return false;
  // A later run of a manager had begun before the host continued from it.
  if (compareRunIds(managerRunOf(run.run_id), after) > 0) return true;
  return !replace && run.exit === null;
}

/**
 * The run that an event reports; null if it is outdated: a run older than the current one, or a delayed answer that shows a run as alive
 * that is known to have ended.
 */
export function freshRun(context: ProcessContext, event: ProcessEvent): RunReport | null {
  const run = "run" in event ? event.run : null;
  if (run === null) return null;
  if (context.runId !== null && compareRunIds(run.run_id, context.runId) < 0) return null;
  const known = context.run?.run_id === run.run_id ? context.run : null;
  if (known?.exit && !run.exit) return null;
  if (known?.extinct && !run.extinct) return null;
  return run;
}

/**
 * The run of a report that a host began after the newest one that this manager knows of; null: the report shows no such run. A daemon that was
 * started after one had died may have counted from an earlier run, and began each of its own later than those that died.
 */
export function laterRun(context: ProcessContext, event: ProcessEvent): RunReport | null {
  const run = event.type === "report" ? event.run : null;
  if (run === null || context.run === null || !isStartedByHost(run.run_id)) return null;
  const isOfNextDaemon = context.runGone && run.run_id !== context.run.run_id;
  return isOfNextDaemon || compareRunIds(run.run_id, context.run.run_id) > 0 ? run : null;
}

/** The failure for which the host has stopped, or is stopping, the newest run, as the host or an earlier manager decided. */
export function reportedCause(run: RunReport | null): StopCause {
  const cause = run?.stop_cause;
  return cause === undefined ? null : { reason: cause.reason, isRecycled: cause.recycled };
}

/** Whether the current run lives, as far as is known. */
export function runLives(context: ProcessContext): boolean {
  const { run } = context;
  return run !== null && run.run_id === context.runId && run.exit === null && !run.extinct && !context.runGone;
}

/** Whether the current run has lived for `restart.stable_after`. */
export function isStable(context: ProcessContext): boolean {
  return runLives(context) && stableIn(context) === 0;
}

/** Milliseconds until the current run is stable. */
export function stableIn({ clock, runBegan, definition }: ProcessContext): number {
  return Math.max(0, runBegan + definition.restart.stable_after - clock.monotonic());
}

/** Whether part of the newest reported run's tree may still be alive, so that no other run may be spawned. */
export function treeLives(context: ProcessContext): boolean {
  return context.run !== null && !context.run.extinct && !context.runGone;
}

export function succeeded(context: ProcessContext, exit: RunExit): boolean {
  return isSuccess(exit, context.runDefinition.success_exit_codes);
}

/**
 * The context after a new report. A run that this manager did not start is adopted with its memo. A `late` report may describe an end long
 * ago; events arrive at once.
 */
export function withRun(context: ProcessContext, run: RunReport, late: boolean, host = context.host): Partial<ProcessContext> {
  const { clock, definition, settings } = context;
  const known = context.run?.run_id === run.run_id;
  const adopted = context.runId === null || compareRunIds(run.run_id, context.runId) > 0;
  const now = clock.monotonic();
  const runBegan = known ? context.runBegan : now - run.age_ms;
  const resized = run.rows !== definition.terminal.rows || run.cols !== definition.terminal.cols;
  return {
    run,
    runBegan,
    runGone: false,
    isFrozen: false,
    host,
    ...(run.stop_cause === undefined ? {} : { stopCause: reportedCause(run) }),
    ...(adopted ? { runId: run.run_id, runDefinition: definition, runSettings: settings, ...memoOf(context, run, runBegan) } : {}),
    ...(context.size === null && adopted && resized ? { size: { rows: run.rows, cols: run.cols } } : {}),
    // The end is evaluated once: a later report of the same run does not change the result.
    ...(known && context.run?.exit ? {} : { runEnded: run.exit ? now - (late ? sinceEnd(run) : 0) : null, ...endOf(context, run) }),
  };
}

/** The restart counters that an earlier manager saved with the run. */
function memoOf({ clock, definition }: ProcessContext, run: RunReport, runBegan: number): Partial<ProcessContext> {
  const memo = readMemo(run.memo, runBegan);
  return { ...memo, unstable: memo.failures > 0 && clock.monotonic() < runBegan + definition.restart.stable_after };
}

function endOf(context: ProcessContext, run: RunReport): Partial<ProcessContext> {
  if (run.exit === null) return { exit: null, lastRunSucceeded: null };
  const { code, signal, reason } = run.exit;
  const exit: ProcessExit = { code, signal, reason, time: run.stop_time ?? context.clock.now() };
  return { exit, lastRunSucceeded: succeeded(context, run.exit) };
}

/**
 * Milliseconds since the run ended: its age, by the host's monotonic clock, less its length. The length is known by the wall clock only,
 * which may have been stepped, so the result is bounded.
 */
function sinceEnd(run: RunReport): number {
  const lived = run.stop_time === null ? run.age_ms : run.stop_time - run.start_time;
  return Math.min(run.age_ms, Math.max(0, run.age_ms - lived));
}
