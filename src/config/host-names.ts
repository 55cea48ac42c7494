import { hostname } from "node:os";
import type { HostEntry } from "../protocol/resources/resources.ts";
import type { Config } from "./definition.ts";
import { hostOfNode, isOwnHost } from "./hosts.ts";

/** Canonical name of the machine that the manager runs on (docs/design/wire-rules.md, "Processes"). */
export function localHostName(): string {
  return hostname() || "localhost";
}

type Names = Pick<HostEntry, "name" | "aliases" | "node_aliases" | "all_names">;
type Directory = Pick<Config, "hosts" | "nodes">;

/** Names of the manager's own host: `localhost` is an alias, and the one node name that needs no configuration. */
export function localHostNames(name: string, { hosts, nodes }: Directory): Names {
  const configured = [...hosts].flatMap(([host, { aliases }]) => (isOwnHost(host) ? [host, ...aliases] : []));
  const ownNodes = [...nodes.keys()].filter((node) => hostOfNode(node, { hosts, nodes }) === null);
  return names(name, ["localhost", ...configured], ["localhost", ...ownNodes]);
}

/** Names of a configured host. */
export function remoteHostNames(name: string, { hosts, nodes }: Directory): Names {
  return names(
    name,
    hosts.get(name)?.aliases ?? [],
    [...nodes.keys()].filter((node) => hostOfNode(node, { hosts, nodes }) === name),
  );
}

/** The configured hosts that are other machines. */
export function remoteHosts({ hosts }: Pick<Config, "hosts">): string[] {
  return [...hosts.keys()].filter((host) => !isOwnHost(host));
}

function names(name: string, listed: readonly string[], nodes: readonly string[]): Names {
  const aliases = [...new Set(listed)].filter((alias) => alias !== name);
  const node_aliases = [...new Set(nodes)];
  return { name, aliases, node_aliases, all_names: [...new Set([name, ...aliases, ...node_aliases])] };
}
