const NAME = "mgr_web_session";
const TOKEN = /^[\w-]{43}$/;
/** Maximum number of cookies that are tried: a browser sends one, or two after a change of paths; many more are an attack. */
const MAX_TRIED = 16;

/** The session tokens in a Cookie header: if several cookies have the name, all are tried. */
export function sessionTokens(cookie: string | null): string[] {
  return valuesOf(cookie)
    .filter((value) => TOKEN.test(value))
    .slice(0, MAX_TRIED);
}

/** Whether the cookie is the empty one that a log-out sets. */
export function isLoggedOut(cookie: string | null): boolean {
  const values = valuesOf(cookie);
  return values.length > 0 && values.every((value) => value === "");
}

function valuesOf(cookie: string | null): string[] {
  return (cookie?.split(";") ?? []).flatMap((pair) => {
    const cut = pair.indexOf("=");
    return cut < 0 || pair.slice(0, cut).trim() !== NAME ? [] : [pair.slice(cut + 1).trim()];
  });
}

/**
 * The value of Set-Cookie: these attributes and no others (docs/design/wire-rules.md, "Authentication"), plus `Secure` if only HTTPS is
 * served. "" ends the session, and remains as the sign of a log-out until the browser closes.
 */
export function sessionCookie(token: string, isHttpsOnly: boolean): string {
  return `${NAME}=${token}; Path=/; HttpOnly; SameSite=Lax${isHttpsOnly ? "; Secure" : ""}`;
}
