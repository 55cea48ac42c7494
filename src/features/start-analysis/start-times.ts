/** The newest start of a process. Times are monotonic milliseconds of the manager; null: not (yet) reached. */
export interface StartTimes {
  readonly name: string;
  /** When its start began: it waits, or is started at once. */
  readonly requested: number;
  /** When it had everything that it waited for, and its host was requested to start it. */
  readonly released: number | null;
  /** When its host had started it: it has a pid. */
  readonly started: number | null;
  /** When it was ready, or started if it has no ready condition. */
  readonly up: number | null;
  /** When its run ended, or it gave up waiting. */
  readonly ended: number | null;
  /** Why it failed before it was up. */
  readonly failure: string | null;
  /** The dependency that was met last, or while it waits the first that is missing; null: it did not wait. */
  readonly after: string | null;
  /** Attempts to start it, by its restart policy. */
  readonly attempts: number;
}

export type StartOutcome = "under_way" | "up" | "ended" | "failed";

/** How a start went; "ended": it was stopped, or ended by itself without a failure, before it was up. */
export function outcomeOf({ up, ended, failure }: StartTimes): StartOutcome {
  if (up !== null) return "up";
  if (ended === null) return "under_way";
  return failure === null ? "ended" : "failed";
}

/** When a start was over; null: it is under way. */
export const settledAt = ({ up, ended }: StartTimes): number | null => up ?? ended;
