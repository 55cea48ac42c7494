import { hostname } from "node:os";
import type { OnBoot } from "../contract/supervision.ts";

/** A host of the configuration, by its name in the file. */
export interface HostSetting {
  /** Further names and addresses. */
  readonly aliases: readonly string[];
  /** File with the token by which its daemon authenticates; absolute, or null. */
  readonly token_file: string | null;
  /** Maximum number of processes started on the host per second; null: no limit. */
  readonly start_rate: number | null;
  /** Action of its daemon after a boot while it has no manager. */
  readonly on_boot: OnBoot;
}

interface Directory {
  readonly hosts: ReadonlyMap<string, { readonly aliases?: readonly string[] }>;
  /** Logical node name → host. */
  readonly nodes: ReadonlyMap<string, string>;
}

/** Whether `host`, a key of `hosts`, is the machine that the manager runs on. */
export function isOwnHost(host: string): boolean {
  return host === "localhost" || host === hostname();
}

/**
 * The host of a process with `node`: the canonical name of a configured host, null for the manager's own, undefined for an
 * unknown name. Node names come first, then names of hosts, then aliases.
 */
export function hostOfNode(node: string, { hosts, nodes }: Directory): string | null | undefined {
  const name = nodes.get(node) ?? node;
  if (isOwnHost(name)) return null;
  if (hosts.has(name)) return name;
  for (const [host, { aliases = [] }] of hosts) if (aliases.includes(name)) return isOwnHost(host) ? null : host;
  return undefined;
}

/** Names that refer to a host, for hints. */
export function knownHostNames({ hosts, nodes }: Directory): string[] {
  return [...nodes.keys(), "localhost", ...[...hosts].flatMap(([host, { aliases = [] }]) => [host, ...aliases])];
}
