import type { Clock } from "../../base/timing/clock.ts";
import { withFallback } from "../../base/timing/wait.ts";
import type { HostedRun } from "./extinct-run.ts";

/** Maximum time that the runs of one rank may outlive their SIGKILL before the next rank is stopped anyway, milliseconds. */
const GIVE_UP_MS = 10_000;

/**
 * Stops all runs as their specs define: the highest stop_rank first, each rank when the previous one is extinct. Resolves with the runs
 * that even SIGKILL did not end in time (they are stuck in the kernel).
 */
export async function stopEverything(runs: readonly HostedRun[], clock: Clock): Promise<HostedRun[]> {
  const ranks = [...new Set(runs.map((run) => run.spec.stop_rank))].sort((a, b) => b - a);
  const left: HostedRun[] = [];
  for (const rank of ranks) {
    const members = runs.filter((run) => run.spec.stop_rank === rank);
    for (const run of members) if (!run.report.stopping) run.stop(run.spec.stop);
    const gone = await Promise.all(members.map((run) => isGoneWithin(run, longestStop(run) + GIVE_UP_MS, clock)));
    left.push(...members.filter((_, index) => !gone[index]));
  }
  return left;
}

function longestStop(run: HostedRun): number {
  return run.spec.stop.reduce((total, step) => total + step.timeout_ms, 0);
}

/** Sends SIGKILL to all runs at once. Resolves with those that it did not end in time. */
export async function killEverything(runs: readonly HostedRun[], clock: Clock): Promise<HostedRun[]> {
  for (const run of runs) run.kill();
  const late = await notGone(runs, clock);
  // On a very busy machine, sweeps may not have reached some runs yet: each of them gets a SIGKILL here.
  for (const run of late) run.killNow();
  return late.length === 0 ? late : notGone(late, clock);
}

async function notGone(runs: readonly HostedRun[], clock: Clock): Promise<HostedRun[]> {
  const gone = await Promise.all(runs.map((run) => isGoneWithin(run, GIVE_UP_MS, clock)));
  return runs.filter((_, index) => !gone[index]);
}

function isGoneWithin(run: HostedRun, milliseconds: number, clock: Clock): Promise<boolean> {
  const gone = run.whenExtinct.then(() => true);
  return withFallback(gone, milliseconds, () => run.isExtinct, clock);
}
