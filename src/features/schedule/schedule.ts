/** Action if a run is due and the one before has not ended. */
export const OVERLAPS = ["skip", "queue", "kill"] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** The times at which a process is started: those of a cron expression in a time zone, or one each period. */
export type Timing =
  | {
      readonly kind: "cron";
      readonly pattern: string;
      /** Name in the IANA database; null: that of the manager. */
      readonly timezone: string | null;
    }
  | { readonly kind: "every"; readonly period_ms: number };

/** The schedule of a process, as the configuration has it. */
export interface Schedule {
  readonly timing: Timing;
  readonly overlap: Overlap;
  /** Whether a run that was missed is made up for. */
  readonly catch_up: boolean;
}
