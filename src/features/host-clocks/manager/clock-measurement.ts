import type { Clock } from "../../../base/timing/clock.ts";
import type { ClockMeasurement } from "./clock-offset.ts";

export interface ClockReadings {
  readonly clock: Pick<Clock, "monotonic">;
  /** Time by the clock of the manager, nanoseconds since 1970. */
  readonly now: () => bigint;
}

/** Asks a host for something that its answer states the time with, and measures its clock by that. Rejects as `ask` does. */
export async function timed<Answer extends { readonly time: string }>(
  ask: () => Promise<Answer>,
  { clock, now }: ClockReadings,
): Promise<{ readonly answer: Answer; readonly measurement: ClockMeasurement }> {
  const sent = now();
  const began = clock.monotonic();
  const answer = await ask();
  // The round trip by the monotonic clock: the other one may have been set meanwhile.
  const received = sent + BigInt(Math.ceil((clock.monotonic() - began) * 1e6));
  return { answer, measurement: { sent, received, host: BigInt(answer.time) } };
}
