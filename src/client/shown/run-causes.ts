import { millisecondsBetween } from "./units.ts";

/** A change of a process's state, as in `process_detail`. */
export interface ListedChange {
  readonly ts: string;
  readonly from: string | null;
  readonly to: string;
  readonly by: string | null;
}

interface TimedRun {
  readonly number: number;
  readonly start_time: string | null;
}

/** Why a run ended and what came then, as far as the changes of state tell; null: they do not. */
export interface RunCauses {
  /** "crashed", "completed", "stopped by ann", "restarted by ann". */
  readonly end: string | null;
  /** "started again by the restart policy", "started by ann". */
  readonly next: string | null;
}

/** A start and the changes up to the next one. */
interface Attempt {
  readonly start: ListedChange;
  readonly later: ListedChange[];
}

/** Maximum difference between the time of a start in the log and at the host, milliseconds: more means that they belong to different runs. */
const MAX_APART_MS = 60_000;

/**
 * The causes of runs by their numbers. `history`: newest first; `changes`: oldest first. Runs and starts are matched from the newest one on, since
 * neither list goes back for ever.
 */
export function causesOfRuns(history: readonly TimedRun[], changes: readonly ListedChange[]): ReadonlyMap<number, RunCauses> {
  const attempts = attemptsOf(changes).reverse();
  const causes = new Map<number, RunCauses>();
  history.forEach(({ number, start_time }, index) => {
    const attempt = attempts[index];
    if (attempt === undefined || start_time === null) return;
    if (Math.abs(millisecondsBetween(attempt.start.ts, start_time)) > MAX_APART_MS) return;
    const next = attempts[index - 1]?.start ?? null;
    causes.set(number, { end: endOf(attempt, next), next: nextOf(attempt, next) });
  });
  return causes;
}

function attemptsOf(changes: readonly ListedChange[]): Attempt[] {
  const attempts: Attempt[] = [];
  for (const change of changes) {
    if (change.to === "starting") attempts.push({ start: change, later: [] });
    else attempts.at(-1)?.later.push(change);
  }
  return attempts;
}

function endOf({ later }: Attempt, next: ListedChange | null): string | null {
  const stopping = later.find(({ to }) => to === "stopping");
  if (stopping !== undefined) return `${next?.from === "stopping" ? "restarted" : "stopped"}${byText(stopping.by)}`;
  const end = later.find(({ to }) => to === "backoff" || to === "error" || to === "stopped");
  if (end === undefined) return null;
  return end.to === "stopped" ? "completed" : "crashed";
}

function nextOf({ later }: Attempt, next: ListedChange | null): string | null {
  const isBackingOff = later.some(({ to }) => to === "backoff");
  if (next === null) return isBackingOff && later.at(-1)?.to === "backoff" ? "is started again by the restart policy" : null;
  // A restart has named its user already.
  if (next.from === "stopping") return null;
  if (next.by !== null) return `started${byText(next.by)}`;
  return isBackingOff ? "started again by the restart policy" : null;
}

const byText = (by: string | null) => (by === null ? "" : ` by ${by}`);
