import { readFileSync } from "node:fs";
import { isIPv4, isIPv6 } from "node:net";
import { hostname } from "node:os";
import { domainToASCII } from "node:url";
import type { ManagerState } from "../../actors/control.ts";

const HOST = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/\\?#[\]]+))(?::\d{1,5})?$/i;

/**
 * Whether a Host header names this manager: `localhost`, any IP literal, or a known name. Any other name may have been pointed at this
 * machine by another site (DNS rebinding). The port is not checked.
 */
export function isAllowedHost(host: string, isKnownName: (name: string) => boolean): boolean {
  const match = HOST.exec(host);
  if (!match) return false;
  const [, literal, name = ""] = match;
  if (literal !== undefined) return isIPv6(literal);
  const plain = name.toLowerCase().replace(/\.$/, "");
  return plain === "localhost" || isIPv4(plain) || isKnownName(plain);
}

/**
 * Whether an Origin header has exactly the scheme by which the request came and the host and port of its Host header.
 * `null` and malformed origins do not.
 */
export function isOwnOrigin(origin: string, scheme: Scheme, host: string): boolean {
  if (!/^https?:\/\/[^/?#\\@\s]+$/i.test(origin)) return false;
  const own = URL.canParse(`${scheme}://${host}`) ? new URL(`${scheme}://${host}`) : null;
  return own !== null && URL.canParse(origin) && new URL(origin).origin === own.origin;
}

export type Scheme = "http" | "https";

/**
 * The scheme that the browser used; a reverse proxy passes it in `X-Forwarded-Proto`. Pages of other sites cannot set that header: the
 * browser would send a preflight request first (CORS), which does not allow it.
 */
export function schemeOf(forwarded: string | null, isSecure: boolean): Scheme {
  const named = forwarded?.split(",")[0]?.trim().toLowerCase();
  if (named === "http" || named === "https") return named;
  return isSecure ? "https" : "http";
}

/**
 * Whether a Host header may hold this name: the machine's name and FQDN, the manager's host, all names of configured hosts, and the names
 * that the configuration allows (docs/design/wire-rules.md, "HTTP refusals"). Wildcards are for the sites of features.
 */
export function knownHosts(allowed: readonly string[], state: Pick<ManagerState, "manager" | "hosts">): (name: string) => boolean {
  const names = new Set([...allowed.filter((name) => !name.startsWith("*.")), ...ownNames(), state.manager.host].map(plain));
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
    return []; // Without the file there are no such names.
  }
}

function plain(name: string): string {
  // Browsers send international names in their ASCII form.
  return (domainToASCII(name) || name).toLowerCase().replace(/\.$/, "");
}
