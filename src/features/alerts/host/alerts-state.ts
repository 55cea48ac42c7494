import { z } from "zod";
import { runId } from "../../../contract/fields.ts";
import { alertRule, hostAlert } from "../contract.ts";

const count = z.int().min(0);

const watchedState = z.object({
  rule: alertRule,
  output: hostAlert.shape.output,
  silent: hostAlert.shape.silent,
  isSilenceKnown: z.boolean(),
  isUp: z.boolean(),
  /** By the wall clock, and by the clock of the kernel; milliseconds. */
  active: z.object({ time: z.number(), monotonic: z.number() }),
  hasUnfinished: z.boolean(),
  /** The line that is not complete, as base64. */
  line: z.string(),
});
export type WatchedState = z.infer<typeof watchedState>;

/** What the alerts of a host hand to the next program. */
export const alertsState = z.object({
  seq: count,
  watched: z.array(watchedState),
  /** Rules of a table that is not complete. */
  incoming: z.array(alertRule),
  runs: z.array(z.object({ name: z.string(), run_id: runId, pid: z.int(), isUp: z.boolean() })),
  /** `at`: by the clock of the kernel. */
  published: z.array(z.object({ alert: hostAlert, at: z.number() })),
});
export type AlertsState = z.infer<typeof alertsState>;
