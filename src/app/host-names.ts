import { hostname } from "node:os";
import type { HostEntry } from "../protocol/resources.ts";

/** Canonical name of the machine that the manager runs on (protocol-decisions, "Processes", last lines). */
export function localHostName(): string {
  return hostname() || "localhost";
}

/** The entry of the manager's own host: `localhost` is an alias and the one node name that needs no configuration. */
export function localHostEntry(name: string, daemonReady: boolean): HostEntry {
  const aliases = name === "localhost" ? [] : ["localhost"];
  const node_aliases = ["localhost"];
  return { name, aliases, node_aliases, all_names: [...new Set([name, ...aliases, ...node_aliases])], daemon_ready: daemonReady };
}
