import { type EndedRun, endedWell, planRestart } from "../../contract/restart-policy.ts";
import type { ProcessContext } from "./process-types.ts";

/** The run that just ended, for the restart policy. */
export function endedRun(context: ProcessContext): EndedRun {
  const { definition, requested, runBegan, runEnded, clock, exit, lastRunSucceeded, run, stopCause, daemonDied } = context;
  const { restarts, attempt, failures, restartTimes } = context;
  return {
    rules: definition.restart,
    isRequested: requested === "start",
    began: runBegan,
    ended: runEnded ?? clock.monotonic(),
    exit,
    hasSucceeded: lastRunSucceeded === true,
    neverRan: (run?.exit?.reason ?? null) !== null,
    stopCause,
    daemonDied,
    restarts,
    attempt,
    failures,
    restartTimes,
  };
}

/** The backoff after the run that just ended. */
export function scheduleRestart(context: ProcessContext): Partial<ProcessContext> {
  const run = endedRun(context);
  const { clock } = context;
  const monotonic = clock.monotonic();
  const { due, ...counters } = planRestart(run, monotonic);
  return { ...counters, unstable: !endedWell(run), nextStart: { time: clock.now() + due - monotonic, monotonic: due } };
}
