// Cookies on the host name of a port: one is of the manager, all others are of the program.

const PLAIN = "mgr_port";
const SECURE = `__Host-${PLAIN}`;
/** Of the manager: the cookie of a login is set for its own host name only, but a program can set one for a parent domain. */
const OWN = new Set([PLAIN, SECURE, "mgr_web_session"]);
/** Maximum number of values that are tried: a program can add cookies of the same name. */
const MAX_TRIED = 8;

type Scheme = "http" | "https";

/** The value of Set-Cookie. `__Host-` makes browsers refuse cookies of this name that other host names set. */
export function portCookie(token: string, scheme: Scheme): string {
  return `${scheme === "https" ? SECURE : PLAIN}=${token}; Path=/; HttpOnly; SameSite=Lax${scheme === "https" ? "; Secure" : ""}`;
}

/** The tokens in a Cookie header. */
export function portTokens(header: string | null, scheme: Scheme): string[] {
  const name = scheme === "https" ? SECURE : PLAIN;
  return pairsOf(header ?? "")
    .filter((pair) => nameOf(pair) === name)
    .map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
    .slice(0, MAX_TRIED);
}

/** A Cookie header without the cookies of the manager; null: none is left. */
export function foreignCookies(header: string): string | null {
  const left = pairsOf(header).filter((pair) => !OWN.has(nameOf(pair)));
  return left.length === 0 ? null : left.join("; ");
}

/** The Set-Cookie of a program, for its own host name only; null: it would replace a cookie of the manager. */
export function confinedCookie(setCookie: string): string | null {
  const [pair = "", ...attributes] = setCookie.split(";");
  if (OWN.has(nameOf(pair))) return null;
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(=|$)/i.test(attribute))].join(";");
}

const pairsOf = (header: string): string[] =>
  header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "");

const nameOf = (pair: string): string => pair.split("=", 1).join("").trim();
