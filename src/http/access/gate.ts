import type { Admission, Authenticator } from "../auth/authenticate.ts";
import type { RequestHeaders } from "../request-headers.ts";
import type { RemoteEnd } from "../server/remote-end.ts";
import { isAllowedHost, isOwnOrigin, schemeOf } from "./host-check.ts";
import { type Refusal, refusal } from "./refusal.ts";

export interface GateOptions {
  readonly authenticator: Authenticator;
  /** Names that a Host header may have in addition to `localhost` and IP literals; lower case. */
  readonly isKnownHost: (name: string) => boolean;
  readonly isClosing: () => boolean;
  /** Requests with effects are refused; read-only requests are served until `isClosing`. */
  readonly isShuttingDown: () => boolean;
  /** Plain HTTP is answered by a redirect. */
  readonly isHttpsOnly: boolean;
}

/** The request to check. */
export interface Visit {
  readonly remote: RemoteEnd;
  /** Path and query. */
  readonly target: string;
  /** Refused for pages of other sites. */
  readonly hasEffects: boolean;
}

/** Requests that a page of another site causes may read, but not act (docs/design/library-defects.md, "HTTP, TLS and WebSocket"). */
const FOREIGN_SITES = new Set(["cross-site", "same-site"]);

/** Also for requests on connections that were opened before. */
export const SHUTTING_DOWN = refusal(503, "The manager is shutting down.", { "Retry-After": "5", Connection: "close" });

export const NO_HOST = refusal(400, "The request has no Host header.", { Connection: "close" });

/** Checks every request and upgrade before anything else. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** All checks that do not depend on the user. */
  check(headers: RequestHeaders, { remote, target, hasEffects }: Visit): Refusal | null {
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
    if (origin !== null && !isOwnOrigin(origin, schemeOf(headers.get("x-forwarded-proto"), remote.isSecure), host)) {
      return refusal(403, `Requests from pages of ${JSON.stringify(origin.slice(0, 255))} are not allowed.`);
    }
    if (hasEffects && FOREIGN_SITES.has(headers.get("sec-fetch-site") ?? "")) {
      return refusal(403, "Cross-site requests to this endpoint are not allowed.");
    }
    // Requests on the local socket do not leave the machine.
    if (isHttpsOnly && !remote.isSecure && remote.localUser === null) {
      const location = `https://${host}${target}`;
      return refusal(308, `Use HTTPS: ${location}`, { Location: location });
    }
    return null;
  }

  async admit(headers: RequestHeaders, visit: Visit): Promise<Admission | Refusal> {
    return this.check(headers, visit) ?? (await this.#options.authenticator.authenticate(headers, visit.remote));
  }
}
