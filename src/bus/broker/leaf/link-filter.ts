import { isValidLiteral, isValidSubscription } from "../broker-subscriptions.ts";
import { LOOP_PREFIX } from "./leaf-protocol.ts";

const INBOX = "_INBOX.";

/**
 * Links carry subjects of clients only. The manager and its hosts use connections of their own: a link forwards none of their messages in
 * either direction, whatever the other side subscribes to.
 */

/** Subjects of the manager and its hosts, and of servers among themselves. */
function isInternal(subject: string): boolean {
  return /^(mgr|\$SYS|\$LDS)(\.|$)/.test(subject);
}

/** Whether a message of this subject may cross a link. */
export function mayCross(subject: string): boolean {
  return !isInternal(subject) && isValidLiteral(subject);
}

/** Whether the other side may subscribe to a subject. "filtered": the wildcard may match subjects that must not cross. */
export function mayWant(subject: string): boolean | "filtered" {
  if (!isValidSubscription(subject)) return false;
  const [first = "", second = ""] = subject.split(".", 2);
  if (first === ">" || first === "*") return "filtered";
  if (first === "_INBOX") return second !== "" && second !== "*" && second !== ">";
  return !isInternal(subject);
}

/** Whether filtered interest may match a subject: a wildcard must not match inboxes, or `$MGR`, which only brokers use. */
export function mayMatchWildcard(subject: string): boolean {
  return !isInternal(subject) && !subject.startsWith(INBOX) && !subject.startsWith("$MGR.");
}

export function isInbox(subject: string): boolean {
  return subject.startsWith(INBOX);
}

/** The name of an inbox: `<name>` of `_INBOX.<name>.…`. */
export function inboxName(subject: string): string {
  const end = subject.indexOf(".", INBOX.length);
  return subject.slice(INBOX.length, end < 0 ? undefined : end);
}

export function isLoopSubject(subject: string): boolean {
  return subject.startsWith(LOOP_PREFIX);
}
