import { isIPv4, isIPv6 } from "node:net";

const HOST = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/\\?#[\]]+))(?::\d{1,5})?$/i;

/**
 * Whether a Host header names this manager: `localhost`, any IP literal, or a known name. Anything else may be a foreign
 * name that was made to point here (DNS rebinding). The port is not checked.
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

type Scheme = "http" | "https";

/**
 * The scheme by which the browser came: a proxy in front says it in `X-Forwarded-Proto`. Pages of other sites cannot: a browser
 * first asks whether it may send such a header, and is never allowed to.
 */
export function schemeOf(forwarded: string | null, isSecure: boolean): Scheme {
  const named = forwarded?.split(",")[0]?.trim().toLowerCase();
  if (named === "http" || named === "https") return named;
  return isSecure ? "https" : "http";
}
