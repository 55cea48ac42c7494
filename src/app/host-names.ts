import { hostname } from "node:os";
import type { Config } from "../config/definition.ts";
import type { HostEntry } from "../protocol/resources.ts";

/** Canonical name of the machine that the manager runs on (protocol-decisions, "Processes", last lines). */
export function localHostName(): string {
  return hostname() || "localhost";
}

/**
 * The entry of the manager's own host: `localhost` is an alias and the one node name that needs no configuration. All
 * configured hosts and nodes mean this one.
 */
export function localHostEntry(name: string, { hosts, nodes }: Pick<Config, "hosts" | "nodes">, daemonReady: boolean): HostEntry {
  const configured = [...hosts].flatMap(([host, { aliases }]) => [host, ...aliases]);
  const aliases = [...new Set(["localhost", ...configured])].filter((alias) => alias !== name);
  const node_aliases = [...new Set(["localhost", ...nodes.keys()])];
  return { name, aliases, node_aliases, all_names: [...new Set([name, ...aliases, ...node_aliases])], daemon_ready: daemonReady };
}
