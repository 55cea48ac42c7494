import { z } from "zod";
import { count, session } from "../../contract/fields.ts";
import { EMPTY_LIST, listPage } from "../../contract/pages.ts";
import { MAX_PATTERN_CHARS } from "./pattern.ts";

/** Maximum number of processes with alerts on one host. */
export const MAX_RULES = 20_000;
/** Maximum number of rules in one message. */
export const MAX_RULES_AT_ONCE = 100;
/** Longest line that is reported, UTF-16 code units. */
export const MAX_ALERT_LINE = 1_024;

const processName = z.string().min(1).max(1_024);
/** Wall clock of the host, milliseconds since 1970. */
const time = z.number();

export const alertRule = z.object({
  name: processName,
  /** Time without output, milliseconds; null: it does not matter. */
  silent_ms: z.number().min(1).nullable(),
  /** Expression in the syntax of RE2; null: none. A character may have two UTF-16 units. */
  pattern: z
    .string()
    .min(1)
    .max(2 * MAX_PATTERN_CHARS)
    .nullable(),
});
export type AlertRule = z.infer<typeof alertRule>;

/** The alert of one process; each part is null where there is no such reason. */
export const hostAlert = z.object({
  name: processName,
  silent: z.object({ since: time }).nullable(),
  output: z.object({ since: time, last: time, line: z.string().max(MAX_ALERT_LINE), matches: count }).nullable(),
});
export type HostAlert = z.infer<typeof hostAlert>;

/** `seq` counts these events over the life of the daemon. `alert` null: the process needs no attention any more. */
const alertEvent = z.object({ seq: count, name: processName, alert: hostAlert.nullable() });
export type AlertEvent = z.infer<typeof alertEvent>;

export const ALERT_REQUESTS = {
  /**
   * Rules of the host's processes, in place of those before, in several messages: `is_first` begins a table, `is_last` puts it into effect. A
   * rule that stays as it was keeps its alert. `too_large`: more than MAX_RULES.
   */
  set_alert_rules: {
    request: z.object({ session, rules: z.array(alertRule).max(MAX_RULES_AT_ONCE), is_first: z.boolean(), is_last: z.boolean() }),
    response: z.object({}),
  },
  /** All alerts as of event `seq`. */
  alerts: { request: z.object({ session }), response: z.object({ ...listPage, seq: count }) },
  /** Acknowledges the alert of a process; nothing happens if it has none. */
  clear_alert: { request: z.object({ session, name: processName }), response: z.object({}) },
} as const;

export const ALERT_NEWS = { alert: alertEvent } as const;

/** `alert_seq`: number of the last change of the host's alerts. */
export const ALERT_HEARTBEAT = { alert_seq: count.exactOptional() } as const;

/** The alerts of a host without processes of its own. */
export const NO_ALERTS = { set_alert_rules: {}, alerts: { ...EMPTY_LIST, seq: 0 } } as const;
