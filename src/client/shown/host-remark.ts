import type { HostEntry } from "../../protocol/resources/resources.ts";
import type { TimeWords } from "./status-reason.ts";

type Resumed = NonNullable<NonNullable<HostEntry["alone"]>["resumed"]>;

/** Says what a host does, or has done, without its manager; null: nothing. */
export function hostRemark({ daemon_ready, lost_time, alone }: HostEntry, at: TimeWords["at"]): string | null {
  if (!daemon_ready) return lost_time === null ? null : `since ${at(lost_time)} it restarts its processes by itself`;
  if (alone === undefined) return null;
  const { resumed, restarts, from, until } = alone;
  const parts: string[] = [];
  if (resumed !== undefined) parts.push(`${resumedText(resumed)} at ${at(resumed.time)}`);
  if (restarts > 0) parts.push(`${restarts === 1 ? "1 restart" : `${restarts} restarts`} while disconnected ${at(from)} to ${at(until)}`);
  return parts.length === 0 ? null : parts.join(", ");
}

/** `3 processes resumed after a boot`. */
export function resumedText({ processes, after }: Pick<Resumed, "processes" | "after">): string {
  const count = processes === 1 ? "1 process" : `${processes} processes`;
  return `${count} resumed after ${after === "boot" ? "a boot" : "a restart of its daemon"}`;
}
