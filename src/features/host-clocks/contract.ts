import { z } from "zod";
import { session } from "../../contract/fields.ts";

/** Nanoseconds as text: a number in JSON is not exact enough. */
const nanoseconds = z.string().regex(/^\d{1,20}$/);
const difference = z.string().regex(/^-?\d{1,20}$/);

/** Offset of a host's clock from that of the manager, as the manager has measured it. */
export const knownClock = z.object({
  /** The host's clock minus that of the manager. */
  offset: difference,
  /** The true offset differs by this much at most. */
  uncertainty: nanoseconds,
  /** The moment of which this is known, by the clock of the host, since 1970. */
  at: nanoseconds,
});
export type KnownClock = z.infer<typeof knownClock>;

export const HOST_CLOCK_REQUESTS = {
  /**
   * The host's wall clock, nanoseconds since 1970: the manager measures from it how far the clocks are apart, and how exactly it knows that. `known` is what
   * it knew before, so that the host can write it down; null: nothing yet.
   */
  host_clock: { request: z.object({ session, known: knownClock.nullable() }), response: z.object({ time: nanoseconds }) },
} as const;
