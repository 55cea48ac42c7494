import { z } from "zod";
import { cgroupLimits, hostLimits, hostReached, limitRule } from "../contract.ts";

const count = z.number().min(0);

/** Times are by the clock of the kernel, milliseconds. */
const watchState = z.object({ since: z.number().nullable(), reached: hostReached.nullable(), isKnown: z.boolean() });
export type WatchState = z.infer<typeof watchState>;

/** State of the limits of a host for the next program. */
export const limitsState = z.object({
  seq: z.int().min(0),
  /** The rules, each with the states of its limits. */
  rules: z.array(z.object({ rule: limitRule, watches: z.array(watchState) })),
  /** Rules of a table that is not complete. */
  incoming: z.array(limitRule),
  runs: z.array(
    z.object({
      name: z.string(),
      runId: z.string(),
      isUp: z.boolean(),
      began: z.number(),
      counted: z.number(),
      bytes: count,
      cgroup: cgroupLimits.nullable(),
      cgroupProblem: z.string().nullable(),
    }),
  ),
  published: z.array(hostLimits),
});
export type LimitsState = z.infer<typeof limitsState>;
