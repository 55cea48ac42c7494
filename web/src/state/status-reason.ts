import { statusReason } from "../../../src/client/shown/status-reason.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { clockMinutes, lasting } from "../ui/time.ts";
import { hosts } from "./store.ts";

const WORDS = { at: clockMinutes, in: (timestamp: string) => `in ${lasting(timestamp, true)}` };

/** A sentence with the reason for a process's state, where the user has to know it; else null. */
export function reasonOf(process: Process): string | null {
  const reason = statusReason(process, WORDS, hostOf(process));
  if (process.state === "error") return `Failed: ${reason}`;
  return reason === "" ? null : reason.slice(0, 1).toUpperCase() + reason.slice(1);
}

/** "as of 14:02" for a process whose host was lost then; null if the host is connected, or was never seen. */
export function asOf(process: Process): string | null {
  const lostTime = process.host_ready ? null : (hostOf(process)?.lost_time ?? null);
  return lostTime === null ? null : `as of ${clockMinutes(lostTime)}`;
}

function hostOf({ host }: Process) {
  return hosts.value.find(({ name }) => name === host);
}
