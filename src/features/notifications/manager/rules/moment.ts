/** One moment by both clocks, milliseconds: durations are measured by the monotonic one, times of day and what is shown by the wall clock. */
export interface Moment {
  readonly wall: number;
  readonly mono: number;
}
