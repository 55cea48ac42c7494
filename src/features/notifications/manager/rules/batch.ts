import type { Condition } from "../../../../app/conditions.ts";
import { parentName } from "../../../../base/text/names.ts";
import { shortened } from "../../../../base/text/text-length.ts";
import { formatTime } from "../../../../protocol/time.ts";
import type { RuleDefinition } from "../../config.ts";
import { MAX_ITEMS, MAX_TEXT_CHARS } from "../../limits.ts";
import type { NotificationItem } from "../../notification.ts";

/** One condition that waits to be notified. */
export interface BatchEntry {
  readonly id: string;
  readonly condition: Condition;
  readonly status: NotificationItem["status"];
  /** Wall clock, milliseconds. */
  readonly since: number;
  readonly until: number | null;
  /** Number of times that it has begun since the previous notification. */
  readonly times: number;
}

/** Conditions that go into one notification, from the first one on. */
export interface Batch {
  readonly group: string;
  /** Monotonic time from which it may be sent. */
  readonly due: number;
  readonly entries: Map<string, BatchEntry>;
}

/** The group of a condition: those of one group go into one notification. */
export function groupOf({ kind, process, host }: Condition, by: RuleDefinition["group_by"]): string {
  if (by === "rule") return "";
  if (by === "kind") return kind;
  if (by === "host") return host ?? "";
  if (by === "group") return process === null ? "" : (parentName(process) ?? "");
  return process ?? host ?? "";
}

const ORDER: readonly NotificationItem["status"][] = ["raised", "lasting", "recovered", "ended"];

/** The items of a notification, the worst first, and the number of those that are left out. */
export function itemsOf(entries: Iterable<BatchEntry>): { items: NotificationItem[]; more: number } {
  const sorted = [...entries].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || a.since - b.since);
  return { items: sorted.slice(0, MAX_ITEMS).map(itemOf), more: Math.max(0, sorted.length - MAX_ITEMS) };
}

function itemOf({ condition: { kind, process, host, text }, status, since, until, times }: BatchEntry): NotificationItem {
  return {
    kind,
    process,
    host,
    text: shortened(text, MAX_TEXT_CHARS),
    status,
    since: formatTime(since),
    until: until === null ? null : formatTime(until),
    times,
  };
}
