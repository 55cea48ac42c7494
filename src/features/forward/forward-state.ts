import type { Forward } from "./wire.ts";

/** The state of a forward as a phrase. */
export function forwardState({ host_ready, connections, problem }: Pick<Forward, "host_ready" | "connections" | "problem">): string {
  if (!host_ready) return "the host is not connected";
  if (problem !== null) return `last connection: ${problem}`;
  return connections === 0 ? "open" : "in use";
}
