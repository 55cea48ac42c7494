import { z } from "zod";
import { MAX_DURATION_MS } from "../base/timing/clock.ts";
import { FEATURE_CONDITIONS } from "../features/contract.ts";
import type { RestartRules } from "./restart-policy.ts";

const duration = z.int().min(0).max(MAX_DURATION_MS);

/** The fields of `RestartRules`. */
const restartRules = z.strictObject({
  policy: z.enum(["never", "on-failure", "always"]),
  delay: duration,
  factor: z.number().min(1),
  max_delay: duration,
  max_restarts: z.int().min(0),
  window: duration,
  reset_after: duration,
}) satisfies z.ZodType<RestartRules>;

/** Conditions that a process can wait for in another one. */
export const DEPENDENCY_CONDITIONS = ["started", "ready", "completed", ...FEATURE_CONDITIONS] as const;
export type DependencyCondition = (typeof DEPENDENCY_CONDITIONS)[number];

/** How a host supervises a process while it has no manager. */
export const supervision = z.strictObject({
  restart: restartRules,
  success_exit_codes: z.array(z.int()),
  /** Time for a run to become ready, milliseconds; null: no limit. */
  ready_timeout_ms: duration.nullable(),
  /** Dependencies on the same host, which have to hold when the process is restarted. */
  depends_on: z.array(z.strictObject({ name: z.string(), condition: z.enum(DEPENDENCY_CONDITIONS) })),
  /** Dependencies on other hosts, which this one cannot know; omitted: none. */
  other_hosts: z.array(z.string()).min(1).exactOptional(),
});
export type Supervision = z.infer<typeof supervision>;

/** Action of a host that has booted, or whose daemon was started again, while it has no manager: it waits, or starts what was requested before. */
export const ON_BOOT = ["wait", "resume"] as const;
export type OnBoot = (typeof ON_BOOT)[number];

/** Maximum number of processes in one `supervise` request: names are at most 1,024 characters. */
export const MAX_SUPERVISED_NAMES = 256;
