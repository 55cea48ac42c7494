import { createHmac, timingSafeEqual } from "node:crypto";
import type { Admission } from "../auth/authenticate.ts";
import { parseAuthorization } from "../auth/authorization.ts";
import { isBrowser } from "../request/browser.ts";
import type { RequestHeaders } from "../request/request-headers.ts";

/** Query parameter with which the manager's own pages prove that a request is theirs. */
export const REQUEST_TOKEN = "request_token";

/** Values of Sec-Fetch-Site for requests of other sites, including redirects through them, which keep the manager's Referer. */
const FOREIGN_SITES = new Set(["cross-site", "same-site"]);

/** The token of a session's pages. Useless without the session's cookie. */
export function requestToken(sessionId: string): string {
  return createHmac("sha256", sessionId).update("request token").digest("base64url");
}

export interface ProofRequest {
  readonly headers: RequestHeaders;
  readonly query: URLSearchParams;
  readonly admission: Admission;
  /** Whether an Origin is that of the manager's pages, or of pages that may use it. */
  readonly isTrustedOrigin: (origin: string) => boolean;
}

/**
 * Whether the manager's page or a script sent the request, and not a page of another site whose browser adds the login by itself
 * (docs/decisions/0050-proof-of-requests.md). The Origin has been checked before.
 */
export function isProven({ headers, query, admission, isTrustedOrigin }: ProofRequest): boolean {
  const { principal, sessionId } = admission;
  if (principal.via === "local" || headers.get("origin") !== null) return true;
  if (parseAuthorization(headers.get("authorization")).scheme === "bearer") return true;
  const claim = query.get(REQUEST_TOKEN);
  if (claim !== null && sessionId !== null && isEqual(claim, requestToken(sessionId))) return true;
  if (!isBrowser(headers)) return true;
  const referer = headers.get("referer");
  return referer !== null && !FOREIGN_SITES.has(headers.get("sec-fetch-site") ?? "") && isTrustedOrigin(originOf(referer));
}

/** The origin of an address; "" for a text that is no address. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "";
}

function isEqual(claim: string, token: string): boolean {
  const [a, b] = [Buffer.from(claim), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
