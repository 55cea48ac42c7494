import type { HostEntry, Process } from "../../protocol/resources/resources.ts";
import { exitText } from "../handles/exit-text.ts";
import { isCompleted, isLost, wordOf } from "./shown-state.ts";

/** Formats times of the protocol for the reader. */
export interface TimeWords {
  /** Returns the time of day, with the date if it was on another one. */
  at: (timestamp: string) => string;
  /** Returns the time until then, such as "in 12 s". */
  in: (timestamp: string) => string;
}

/** The reason for the state of a process, as a sentence without capital letter and full stop; "" if the state needs no explanation. */
export function statusReason(process: Process, words: TimeWords, host?: Pick<HostEntry, "lost_time">): string {
  if (isLost(process)) {
    const asOf = host?.lost_time ? ` as of ${words.at(host.lost_time)}` : "";
    return `${wordOf(process.state)}${asOf}: host ${process.host} is not connected`;
  }
  const how = exitText(process);
  switch (process.state) {
    case "error":
      return how || "see the log";
    case "backoff":
      return `${how || "failed"}; restarts ${process.next_start_time ? words.in(process.next_start_time) : "soon"}`;
    case "waiting":
      return `waiting for ${process.waiting_for.join(", ") || "its dependencies"}`;
    case "stopping":
      return process.requested_state === "start" ? "stopping, then starting again" : "stopping";
    case "starting":
      return process.restarting ? "starting again after a failure" : "starting";
    case "started":
    case "ready":
      if (process.restarting) return "restarted after a failure, not stable yet";
      return process.state === "started" && process.has_ready_state ? "running, not ready yet" : "";
    case "stopped":
      return stoppedReason(process, words.at);
  }
}

function stoppedReason(process: Process, at: TimeWords["at"]): string {
  const { exit, requested_state, requested_by, requested_time, stopped_with } = process;
  if (requested_state === "stop" && requested_by !== null) {
    const together = stopped_with === null ? "" : ` with ${stopped_with}`;
    return `stopped by ${requested_by}${together}${requested_time === null ? "" : ` at ${at(requested_time)}`}`;
  }
  if (exit === null) return "not started yet";
  return isCompleted(process) ? `completed at ${at(exit.time)} (${exitText(process)})` : exitText(process);
}
