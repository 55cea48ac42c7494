import type * as Library from "openid-client";
import type { ClientAuth, Configuration } from "openid-client";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { type OidcSettings, originOf, providerName } from "../config.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { type Claims, isIncomplete } from "./identity.ts";

/** Longest time for one answer of the provider, seconds. */
const TIMEOUT_S = 10;
/** Metadata of the provider is read again after this time, ms. */
const METADATA_MS = 3_600_000;
/** Difference between the clocks of the provider and of this machine that is tolerated, seconds. */
const CLOCK_TOLERANCE_S = 30;

export const CALLBACK_PATH = "/mgr/oidc/callback";

/** A login that the provider was asked for, with what its answer is checked against. */
export interface BegunLogin {
  /** The address of the provider to which the browser goes. */
  readonly url: URL;
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier shows that the manager which asks for the tokens is the one that began the login. */
  readonly verifier: string;
}

/** The reason why a login at the provider failed. */
export class ProviderProblem extends Error {
  override readonly name = "ProviderProblem";
  /** Status of the answer: 403 if the provider has refused the user, 502 if something has to be repaired. */
  readonly status: 403 | 502;
  /** Details for the log, which users do not see. */
  readonly details: string;

  constructor(message: string, { status = 502, details = "", cause }: { status?: 403 | 502; details?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
    this.details = details;
  }
}

interface ProviderOptions {
  readonly settings: OidcSettings;
  /** Reads the secret; null: a public client. */
  readonly secret: () => string | null;
  readonly monotonic: () => number;
}

/** The OpenID provider of one configuration: the authorization code flow with PKCE. */
export class Provider {
  readonly settings: OidcSettings;
  readonly #secret: () => string | null;
  readonly #monotonic: () => number;
  readonly #closed = new AbortController();
  #metadata: { readonly read: Promise<Configuration>; readonly at: number } | null = null;

  constructor({ settings, secret, monotonic }: ProviderOptions) {
    this.settings = settings;
    this.#secret = secret;
    this.#monotonic = monotonic;
  }

  /** Begins a login. Rejects with ProviderProblem. */
  begin(): Promise<BegunLogin> {
    return this.#attempt(async (library) => {
      // A secret that cannot be read is reported before the user has logged in at the provider.
      this.#secret();
      const configuration = await this.#configuration(library);
      const { scopes } = this.settings;
      const [state, nonce, verifier] = [library.randomState(), library.randomNonce(), library.randomPKCECodeVerifier()];
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: `${originOf(this.settings)}${CALLBACK_PATH}`,
        scope: scopes.join(" "),
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      if (url.protocol !== "https:" && !(this.#isInsecure && url.protocol === "http:"))
        throw new ProviderProblem(`${this.#name} named an address for logins that is not https://.`, { details: url.origin });
      return { url, state, nonce, verifier };
    });
  }

  /** Completes a login: `answer` is the query with which the browser came back. Resolves with the user. Rejects with ProviderProblem. */
  finish({ state, nonce, verifier }: BegunLogin, answer: string): Promise<Claims> {
    return this.#attempt(async (library) => {
      const configuration = await this.#configuration(library);
      const url = new URL(`${originOf(this.settings)}${CALLBACK_PATH}`);
      url.search = answer;
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await library.authorizationCodeGrant(configuration, url, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new ProviderProblem(`${this.#name} did not say who the user is (its answer has no ID token).`);
      const isWhole = !isIncomplete(claims, this.settings) || configuration.serverMetadata().userinfo_endpoint === undefined;
      // The ID token wins: it is signed.
      return isWhole ? claims : { ...(await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
    });
  }

  /** Ends requests to the provider. */
  close(): void {
    this.#closed.abort();
  }

  get #name(): string {
    return providerName(this.settings);
  }

  /** A provider on this machine may use plain HTTP. */
  get #isInsecure(): boolean {
    return new URL(this.settings.issuer).protocol === "http:";
  }

  async #attempt<Result>(work: (library: typeof Library) => Promise<Result>): Promise<Result> {
    const library = await import("openid-client");
    try {
      return await work(library);
    } catch (error) {
      throw problemOf(error, this.#name, library);
    }
  }

  /** Logins at the same time share one request for the metadata. */
  #configuration(library: typeof Library): Promise<Configuration> {
    const now = this.#monotonic();
    if (this.#metadata !== null && now - this.#metadata.at < METADATA_MS) return this.#metadata.read;
    const read = this.#discover(library);
    this.#metadata = { read, at: now };
    read.catch(() => {
      if (this.#metadata?.read === read) this.#metadata = null;
    });
    return read;
  }

  #discover(library: typeof Library): Promise<Configuration> {
    const { issuer, client_id, client_secret, client_auth } = this.settings;
    const send = client_auth === "post" ? library.ClientSecretPost : library.ClientSecretBasic;
    // The secret is read anew for each request, so that it can be replaced.
    const withSecret: ClientAuth = (...request) => send(this.#secret() ?? "")(...request);
    const metadata = { [library.clockTolerance]: CLOCK_TOLERANCE_S };
    return library.discovery(new URL(issuer), client_id, metadata, client_secret === null ? library.None() : withSecret, {
      // Signatures are checked although the tokens come from the provider itself.
      execute: [library.enableNonRepudiationChecks, ...(this.#isInsecure ? [library.allowInsecureRequests] : [])],
      timeout: TIMEOUT_S,
      [library.customFetch]: boundedFetch(this.#closed.signal),
    });
  }
}

/** The message for the user; what only helps administrators is in the details. */
function problemOf(error: unknown, name: string, library: typeof Library): ProviderProblem {
  if (error instanceof ProviderProblem) return error;
  const causes = causesOf(error);
  const details = causes.map(messageOf).join(": ");
  if (causes.some((each) => each instanceof MgrError))
    return new ProviderProblem("The secret of this manager cannot be read. Its log has the details.", { details, cause: error });
  if (error instanceof library.AuthorizationResponseError) {
    const said = [error.error, error.error_description].filter((part) => part !== undefined).join(": ");
    return new ProviderProblem(`${name} refused the login (${said.slice(0, 200)}).`, { status: 403, details, cause: error });
  }
  if (error instanceof library.ResponseBodyError) {
    return notAccepted(name, error.error, { details: (error.error_description ?? details).slice(0, 200), cause: error });
  }
  if (error instanceof library.WWWAuthenticateChallengeError) {
    const said = error.cause.map(({ parameters }) => parameters.error ?? "").find((text) => text !== "") ?? `HTTP ${error.status}`;
    return notAccepted(name, said, { details, cause: error });
  }
  const isUnreachable = error instanceof TypeError || causes.some((each) => each instanceof DOMException);
  return isUnreachable
    ? new ProviderProblem(`${name} cannot be reached, or did not answer in time. Try again later.`, { details, cause: error })
    : new ProviderProblem(`The answer of ${name} is not valid. The manager's log has the details.`, { details, cause: error });
}

function notAccepted(name: string, said: string, more: { details: string; cause: unknown }): ProviderProblem {
  return new ProviderProblem(
    `${name} did not accept the request of this manager (${said.slice(0, 100)}). The manager's log has the details.`,
    more,
  );
}

/** The error and what caused it. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let each = error; each instanceof Error && causes.length < 5; each = each.cause) causes.push(each);
  return causes;
}
