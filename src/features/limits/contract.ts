import { z } from "zod";
import { count, runId, session } from "../../contract/fields.ts";
import { EMPTY_LIST, listPage } from "../../contract/pages.ts";
import { LIMIT_ACTIONS, MAX_LIMITS, MEASURES } from "./measures.ts";

/** Maximum number of processes with rules on one host. */
export const MAX_RULES = 20_000;
/** Maximum number of rules in one message. */
export const MAX_RULES_AT_ONCE = 100;
/** Most devices of one process with limits of their own. */
export const MAX_DEVICES = 16;
/** Longest sentence about a cgroup, UTF-16 code units. */
export const MAX_PROBLEM = 1_024;

const processName = z.string().min(1).max(1_024);
/** Wall clock of the host, milliseconds since 1970. */
const time = z.number();
const amount = z.number().min(0);

const limit = z.object({
  measure: z.enum(MEASURES),
  /** The limit is reached by figures above this one. */
  above: amount,
  for_ms: amount,
  /** The action of the manager then: the host keeps what led to a restart or stop until it is dismissed. */
  action: z.enum(LIMIT_ACTIONS),
});
export type Limit = z.infer<typeof limit>;

/** Null: no such limit. */
export const cgroupLimits = z.object({
  memory_high: amount.nullable(),
  memory_max: amount.nullable(),
  /** Percent of one CPU. */
  cpu_max: amount.nullable(),
  /** Bytes a second of a device: its path, or its numbers such as 8:0. */
  io_max: z.array(z.object({ device: z.string().min(1).max(4_096), read: amount.nullable(), write: amount.nullable() })).max(MAX_DEVICES),
});
export type CgroupLimits = z.infer<typeof cgroupLimits>;

export const limitRule = z.object({ name: processName, limits: z.array(limit).max(MAX_LIMITS), cgroup: cgroupLimits.nullable() });
export type LimitRule = z.infer<typeof limitRule>;

export const hostReached = z.object({
  ...limit.shape,
  run_id: runId,
  value: z.number(),
  over_ms: amount,
  at: time,
  times: count,
});
export type HostReached = z.infer<typeof hostReached>;

/** The limits that a process has reached. */
export const hostLimits = z.object({
  name: processName,
  reached: z.array(hostReached).max(MAX_LIMITS),
  cgroup_problem: z.string().max(MAX_PROBLEM).nullable(),
});
export type HostLimits = z.infer<typeof hostLimits>;

/** `seq` counts these events over the life of the daemon. `limits` null: there is nothing to report any more. */
const limitsEvent = z.object({ seq: count, name: processName, limits: hostLimits.nullable() });
export type LimitsEvent = z.infer<typeof limitsEvent>;

export const LIMIT_REQUESTS = {
  /**
   * Rules of the host's processes, in place of those before, in several messages: `is_first` begins a table, `is_last` puts it into effect. A
   * limit that stays as it was keeps what was measured. `too_large`: more than MAX_RULES.
   */
  set_limit_rules: {
    request: z.object({ session, rules: z.array(limitRule).max(MAX_RULES_AT_ONCE), is_first: z.boolean(), is_last: z.boolean() }),
    response: z.object({}),
  },
  /** All limits that were reached, as of event `seq`. */
  limits: { request: z.object({ session }), response: z.object({ ...listPage, seq: count }) },
  /** Acknowledges the limits that a process has reached; nothing happens if there are none. */
  clear_limits: { request: z.object({ session, name: processName }), response: z.object({}) },
} as const;

export const LIMIT_NEWS = { limits: limitsEvent } as const;

/** `limits_seq`: number of the last change. */
export const LIMIT_HEARTBEAT = { limits_seq: count.exactOptional() } as const;

/** The limits of a host without processes of its own. */
export const NO_LIMITS = { set_limit_rules: {}, limits: { ...EMPTY_LIST, seq: 0 } } as const;
