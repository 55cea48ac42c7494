import { exitText } from "../../../src/client/handles/exit-text.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { lasting } from "../ui/time.ts";

/** One sentence where a person has to know why a process is not simply running or stopped; null elsewhere. */
export function statusReason(process: Process): string | null {
  const how = exitText(process);
  switch (process.state) {
    case "error":
      return `Failed: ${how || "see the log"}`;
    case "backoff":
      return `Exited${how ? ` (${how})` : ""}; restarts ${process.next_start_time ? `in ${lasting(process.next_start_time, true)}` : "soon"}`;
    case "waiting":
      return `Waiting for ${process.waiting_for.join(", ") || "its dependencies"}`;
    case "stopping":
      return process.requested_state === "start" ? "Stopping, then starting again" : "Stopping";
    case "starting":
      return "Starting";
    case "started":
      return process.has_ready_state ? "Running, not ready yet" : null;
    default:
      return null;
  }
}
