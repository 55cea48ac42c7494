import { createHash, randomBytes } from "node:crypto";

/** Time for which a token opens connections, ms. */
export const LOGIN_TOKEN_MS = 60_000;
/** Maximum number of valid tokens; the oldest is dropped first. */
const MAX_TOKENS = 1_024;

interface LoginToken {
  readonly sessionId: string;
  readonly origin: string;
  /** Monotonic time, ms. */
  readonly until: number;
}

/** Short-lived tokens with which pages of other sites, for which browsers send no cookie, use a session. */
export class LoginTokens {
  /** Tokens by their SHA-256, oldest first. */
  readonly #tokens = new Map<string, LoginToken>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  issue(sessionId: string, origin: string): string {
    const now = this.#monotonic();
    for (const [key, { until }] of this.#tokens) {
      if (until > now && this.#tokens.size < MAX_TOKENS) break;
      this.#tokens.delete(key);
    }
    const token = randomBytes(32).toString("base64url");
    this.#tokens.set(digest(token), { sessionId, origin, until: now + LOGIN_TOKEN_MS });
    return token;
  }

  /** The session of a token that is valid for pages of `origin`; null: the token is not valid. */
  find(token: string, origin: string | null): string | null {
    const found = this.#tokens.get(digest(token));
    return found !== undefined && found.origin === origin && found.until > this.#monotonic() ? found.sessionId : null;
  }
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
