import type { Admission, Authenticator, LoginVisit } from "../auth/authenticate.ts";
import { isRefusal, type Refusal, refusal } from "../request/refusal.ts";
import type { RequestHeaders } from "../request/request-headers.ts";
import { isAllowedHost, isOwnOrigin, schemeOf } from "./host-check.ts";
import { isProven, requestToken } from "./proof.ts";

export interface GateOptions {
  readonly authenticator: Authenticator;
  /** Names that a Host header may have in addition to `localhost` and IP literals; lower case. */
  readonly isKnownHost: (name: string) => boolean;
  /** Further origins whose pages may use shared routes. */
  readonly allowedOrigins: ReadonlySet<string>;
  readonly isClosing: () => boolean;
  /** Whether requests with effects are refused; read-only requests are served until `isClosing`. */
  readonly isShuttingDown: () => boolean;
  /** Whether plain HTTP is answered by a redirect. */
  readonly isHttpsOnly: boolean;
}

/** The request to check. */
export interface Visit extends LoginVisit {
  /** Whether pages of `allowedOrigins` may send it, too. */
  readonly isShared: boolean;
  /** Whether it needs proof that the manager's page or a script sent it. */
  readonly hasEffects: boolean;
}

/** A request with effects that may come from a page of another site. A browser can offer its user to repeat it with the token. */
export interface UnprovenRefusal extends Refusal {
  readonly requestToken: string;
}

export function isUnproven(refused: Refusal): refused is UnprovenRefusal {
  return "requestToken" in refused;
}

const UNPROVEN =
  "This request has an effect, and nothing shows that it comes from a page of this manager or from a script. Scripts that name themselves Mozilla/ send a Referer header with the manager's address.";

/** The refusal during a shutdown, also on connections that were opened before. */
export const SHUTTING_DOWN = refusal(503, "The manager is shutting down.", { "Retry-After": "5", Connection: "close" });

export const NO_HOST = refusal(400, "The request has no Host header.", { Connection: "close" });

/** Checks every request and upgrade before anything else. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get allowedOrigins(): ReadonlySet<string> {
    return this.#options.allowedOrigins;
  }

  /** All checks that do not depend on the user. */
  check(headers: RequestHeaders, visit: Visit): Refusal | null {
    const { remote, url, hasEffects } = visit;
    const { isHttpsOnly } = this.#options;
    if (this.#options.isClosing() || (hasEffects && this.#options.isShuttingDown())) return SHUTTING_DOWN;
    const host = headers.get("host");
    if (host === null) return NO_HOST;
    if (!isAllowedHost(host, this.#options.isKnownHost)) {
      return refusal(
        403,
        `Unknown host name ${JSON.stringify(host.slice(0, 255))}. Use localhost, an IP address, the name of a configured host, or one of instance.allowed_hosts.`,
      );
    }
    const origin = headers.get("origin");
    if (origin !== null && !this.#isTrusted(origin, headers, visit)) {
      return refusal(403, `Requests from pages of ${JSON.stringify(origin.slice(0, 255))} are not allowed.`);
    }
    // Requests on the local socket do not leave the machine.
    if (isHttpsOnly && !remote.isSecure && remote.localUser === null) {
      const location = `https://${host}${url.pathname}${url.search}`;
      return refusal(308, `Use HTTPS: ${location}`, { Location: location });
    }
    return null;
  }

  async admit(headers: RequestHeaders, visit: Visit): Promise<Admission | Refusal> {
    const refused = this.check(headers, visit);
    if (refused !== null) return refused;
    const admission = await this.#options.authenticator.authenticate(headers, visit);
    if (isRefusal(admission) || !visit.hasEffects) return admission;
    const isTrustedOrigin = (origin: string) => this.#isTrusted(origin, headers, visit);
    if (isProven({ headers, query: visit.url.searchParams, admission, isTrustedOrigin })) return admission;
    return unproven(admission);
  }

  #isTrusted(origin: string, headers: RequestHeaders, { remote, isShared }: Visit): boolean {
    if (isShared && this.#options.allowedOrigins.has(origin)) return true;
    return isOwnOrigin(origin, schemeOf(headers.get("x-forwarded-proto"), remote.isSecure), headers.get("host") ?? "");
  }
}

function unproven({ sessionId, setCookie }: Admission): UnprovenRefusal | Refusal {
  const refused = refusal(403, UNPROVEN, setCookie === null ? {} : { "Set-Cookie": setCookie });
  return sessionId === null ? refused : { ...refused, requestToken: requestToken(sessionId) };
}
