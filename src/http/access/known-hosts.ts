import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { domainToASCII } from "node:url";
import type { ManagerState } from "../../actors/control.ts";

/**
 * Whether a Host header may hold this name: the machine's name and FQDN, the manager's host, all names of configured
 * hosts, and what the configuration allows beside (docs/design/wire-rules.md, "HTTP refusals").
 */
export function knownHosts(allowed: readonly string[], state: Pick<ManagerState, "manager" | "hosts">): (name: string) => boolean {
  const names = new Set([...allowed, ...ownNames(), state.manager.host].map(plain));
  return (name) => names.has(name) || state.hosts().some(({ all_names }) => all_names.some((known) => plain(known) === name));
}

/** The machine's name, and its fully qualified ones in /etc/hosts, as `hostname -f` finds them. */
function ownNames(): string[] {
  const name = hostname();
  const [short = name] = name.split(".");
  const found = lines("/etc/hosts").filter(([, ...names]) => names.includes(name) || names.includes(short));
  return [name, short, ...found.flatMap(([, ...names]) => names).filter((candidate) => candidate.startsWith(`${short}.`))];
}

function lines(path: string): string[][] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  } catch {
    return []; // No such file: no names of it.
  }
}

function plain(name: string): string {
  // Browsers send international names in their ASCII form.
  return (domainToASCII(name) || name).toLowerCase().replace(/\.$/, "");
}
