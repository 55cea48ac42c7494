import type { Notification, NotificationItem } from "./notification.ts";

/** Texts of notifications. They are not escaped: each way escapes them for its form. */

const WORDS = { raised: "Problem", lasting: "Still", recovered: "Recovered", ended: "Ended" } as const;

/** One line about a condition. */
export function itemText({ status, text, times }: Pick<NotificationItem, "status" | "text" | "times">): string {
  return `${WORDS[status]}: ${text}${times > 1 ? ` (${times} times)` : ""}`;
}

/** All lines, with the number of those that are not listed. */
export function linesOf({ items, more }: Notification): string[] {
  return [...items.map(itemText), ...(more > 0 ? [`… and ${more} more`] : [])];
}

/** The heading: what is wrong, or that it is good again. */
export function titleOf(instance: string, items: readonly NotificationItem[], more: number): string {
  const count = items.length + more;
  const [first] = items;
  if (count === 1 && first !== undefined) return `[${instance}] ${WORDS[first.status]}: ${first.process ?? first.host ?? first.kind}`;
  const problems = items.filter(({ status }) => status === "raised" || status === "lasting").length + more;
  if (problems === 0) return `[${instance}] ${count} problems are over`;
  return `[${instance}] ${problems} ${problems === 1 ? "problem" : "problems"}${problems < count ? `, ${count - problems} over` : ""}`;
}
