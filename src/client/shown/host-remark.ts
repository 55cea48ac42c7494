import type { HostEntry } from "../../protocol/resources/resources.ts";
import type { TimeWords } from "./status-reason.ts";

/** Says what a host does, or has done, without its manager; null: nothing. */
export function hostRemark({ daemon_ready, lost_time, alone }: HostEntry, at: TimeWords["at"]): string | null {
  if (!daemon_ready) return lost_time === null ? null : `lost since ${at(lost_time)}: it restarts its processes by itself`;
  if (alone === undefined || alone.restarts === 0) return null;
  const restarts = alone.restarts === 1 ? "1 restart" : `${alone.restarts} restarts`;
  return `${restarts} while disconnected ${at(alone.from)} to ${at(alone.until)}`;
}
