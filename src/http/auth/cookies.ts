const NAME = "mgr_web_session";
const TOKEN = /^[\w-]{43}$/;
/** A browser sends one cookie, or two after a change of paths; many more are an attack. */
const MAX_TRIED = 16;

/** The session tokens in a Cookie header: if several cookies have the name, all are tried. */
export function sessionTokens(cookie: string | null): string[] {
  const tokens: string[] = [];
  for (const pair of cookie?.split(";") ?? []) {
    const cut = pair.indexOf("=");
    if (cut < 0 || pair.slice(0, cut).trim() !== NAME) continue;
    const value = pair.slice(cut + 1).trim();
    if (TOKEN.test(value) && tokens.length < MAX_TRIED) tokens.push(value);
  }
  return tokens;
}

/**
 * The value of Set-Cookie: these attributes and no others (docs/design/wire-rules.md, "Authentication"), plus `Secure` if only HTTPS is
 * served. "" ends the cookie.
 */
export function sessionCookie(token: string, isHttpsOnly: boolean): string {
  return `${NAME}=${token}; Path=/; HttpOnly; SameSite=Lax${isHttpsOnly ? "; Secure" : ""}`;
}
