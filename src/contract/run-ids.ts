// The order of run ids: `<epoch>-<n>` for runs that a manager starts, `<epoch>-<n>-<k>` for those that a host starts after it.

/** Negative when run `a` is older than `b`. */
export function compareRunIds(a: string, b: string): number {
  // The usual case: an event of the current run.
  if (a === b) return 0;
  const [epochA = 0, countA = 0, restartA = 0] = a.split("-").map(Number);
  const [epochB = 0, countB = 0, restartB = 0] = b.split("-").map(Number);
  return epochA - epochB || countA - countB || restartA - restartB;
}

/** Whether a host started the run by itself, because it had no manager. */
export function isStartedByHost(runId: string): boolean {
  return runId.split("-").length === 3;
}

/** Id of the run of a manager that `runId` is, or that the host continued from. */
export function managerRunOf(runId: string): string {
  return runId.split("-").slice(0, 2).join("-");
}

/** Id of the run that a host starts after `runId`. */
export function nextRunOfHost(runId: string): string {
  const [epoch, count, restart = "0"] = runId.split("-");
  return `${epoch}-${count}-${Number(restart) + 1}`;
}
