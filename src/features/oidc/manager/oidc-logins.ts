import { isDeepStrictEqual } from "node:util";
import type { Grant } from "../../../base/access/access.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { ThrottledWarning } from "../../../base/throttled-warning.ts";
import { grantsFrom } from "../../../config/access-rules.ts";
import type { Config } from "../../../config/definition.ts";
import { readSecret } from "../../../files/secret.ts";
import type { Account, LoginHost, LoginSource } from "../../../http/auth/accounts.ts";
import type { LoginPlace, OpenedLogin } from "../../../http/auth/login-offer.ts";
import { isRefusal } from "../../../http/request/refusal.ts";
import { type OidcSettings, originOf, providerName } from "../config.ts";
import { type Identity, identityIn } from "./identity.ts";
import { type KnownUser, KnownUsers } from "./known-users.ts";
import { type BegunLogin, Provider, ProviderProblem } from "./provider.ts";

/** Kind of the users of a provider. No user of the auth file has a name that begins with it. */
const KIND = "oidc";
export const LOGIN_PATH = "/mgr/oidc/login";
/** Maximum number of logins that are completed at the same time: each waits for the provider. */
const MAX_FINISHING = 16;

interface OidcLoginsOptions {
  /** The present configuration. */
  readonly config: () => Pick<Config, "instance" | "access" | "base_dir">;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** A login that has failed: an HTTP status and a sentence for the user. */
export interface FailedLogin {
  readonly status: number;
  readonly message: string;
}

/** The parts that the web logins give, when the port is prepared. */
interface Attached {
  readonly host: LoginHost;
  readonly users: KnownUsers;
  readonly failures: ThrottledWarning;
}

/** Users who log in at an OpenID provider. Their roles follow from their groups there, by the present configuration. */
export class OidcLogins {
  readonly #options: OidcLoginsOptions;
  #attached: Attached | null = null;
  #provider: Provider | null = null;
  #finishing = 0;
  /** The users who were logged in at the last check. */
  #loggedIn = new Map<string, string>();

  constructor(options: OidcLoginsOptions) {
    this.#options = options;
  }

  get settings(): OidcSettings | null {
    return this.#options.config().instance.oidc;
  }

  source(host: LoginHost): LoginSource {
    this.#attached = { host, users: new KnownUsers(host, this.#options.now), failures: new ThrottledWarning(host.log) };
    return {
      kind: KIND,
      isIndependent: true,
      find: (user) => this.#accountOf(this.#attached?.users.find(user.slice(KIND.length + 1), this.settings?.issuer) ?? null),
      offer: () => {
        const { settings } = this;
        return settings === null ? null : { label: `Log in with ${providerName(settings)}`, href: `${originOf(settings)}${LOGIN_PATH}` };
      },
      refresh: () => this.#endInvalid(),
    };
  }

  /** The provider of the present configuration; null: there is none. */
  provider(): Provider | null {
    const { settings } = this;
    if (isDeepStrictEqual(this.#provider?.settings ?? null, settings)) return this.#provider;
    this.#provider?.close();
    const { base_dir } = this.#options.config();
    const secret = () => (settings === null || settings.client_secret === null ? null : readSecret(settings.client_secret, base_dir));
    this.#provider = settings === null ? null : new Provider({ settings, secret, monotonic: this.#options.monotonic });
    return this.#provider;
  }

  /** Begins a login at the provider. */
  async begin(provider: Provider): Promise<BegunLogin | FailedLogin> {
    try {
      return await provider.begin();
    } catch (error) {
      return this.#failed(error, provider);
    }
  }

  /** Completes a login with the provider's answer, the query of the request, and opens a session. */
  async finish(
    provider: Provider,
    begun: BegunLogin,
    { answer, place }: { answer: string; place: LoginPlace },
  ): Promise<OpenedLogin | FailedLogin> {
    if (provider !== this.provider()) return { status: 409, message: "The configuration has changed during the login. Begin again." };
    if (this.#finishing >= MAX_FINISHING) return { status: 503, message: "Too many logins at once. Try again in a few seconds." };
    this.#finishing++;
    try {
      const identity = identityIn(await provider.finish(begun, answer), provider.settings);
      if (typeof identity === "string") throw new ProviderProblem(`${providerName(provider.settings)} ${identity}.`);
      return await this.#admit(identity, provider.settings, place);
    } catch (error) {
      return this.#failed(error, provider);
    } finally {
      this.#finishing--;
    }
  }

  close(): void {
    this.#provider?.close();
  }

  async #admit(identity: Identity, settings: OidcSettings, place: LoginPlace): Promise<OpenedLogin | FailedLogin> {
    const { host, users } = this.#opened();
    const { issuer, session } = settings;
    const user: KnownUser = { ...identity, groups: [...identity.groups], issuer, until: this.#options.now() + session };
    const account = this.#accountOf(user);
    if (account === null || account.grants.length === 0) return this.#refuse(identity, settings, place);
    const before = this.#accountOf(users.find(user.name, issuer));
    await users.remember(user);
    if (before !== null && (before.secret !== account.secret || JSON.stringify(before.grants) !== JSON.stringify(account.grants)))
      host.ended(account.user, "the user has logged in with other groups, or another user has this name now");
    const opened = await host.open(account, place, user.until);
    if (isRefusal(opened)) return { status: opened.status, message: opened.text };
    this.#loggedIn.set(account.user, account.secret);
    host.log("info", `web user '${account.user}' (subject ${JSON.stringify(user.subject)}) logged in at ${issuer}`);
    return opened;
  }

  #refuse({ name, groups }: Identity, settings: OidcSettings, place: LoginPlace): FailedLogin {
    const reason = `none of the groups of the user has a role in instance.oidc.groups (${groups.length === 0 ? "no groups were sent" : groups.slice(0, 10).join(", ")})`;
    this.#opened().host.refused(`${KIND}:${name}`, place, reason);
    const message = `${providerName(settings)} knows you as '${name}', but none of your groups has a role here. Ask the administrator of this manager for access.`;
    return { status: 403, message };
  }

  #failed(error: unknown, { settings }: Provider): FailedLogin {
    if (error instanceof MgrError) {
      this.#opened().failures.warn(`a login at ${settings.issuer} failed: ${error.message}`);
      return { status: 503, message: "The login could not be saved. The manager's log has the details." };
    }
    const problem =
      error instanceof ProviderProblem
        ? error
        : new ProviderProblem("Internal error. See the manager's log for details.", { details: messageOf(error) });
    this.#opened().failures.warn(
      `a login at ${settings.issuer} failed: ${problem.message}${problem.details === "" ? "" : ` (${problem.details})`}`,
    );
    return { status: problem.status, message: problem.message };
  }

  #opened(): Attached {
    if (this.#attached === null) throw new Error("the login routes are served by no port");
    return this.#attached;
  }

  /** Users of another issuer, and all of them while there is none, keep their sessions, which managers share; here they have no role. */
  #accountOf(user: KnownUser | null): Account | null {
    if (user === null) return null;
    const secret = JSON.stringify([user.issuer, user.subject]);
    return { user: `${KIND}:${user.name}`, secret, grants: this.#grantsOf(user) };
  }

  #grantsOf({ issuer, groups }: KnownUser): readonly Grant[] {
    const { settings } = this;
    if (settings === null || settings.issuer !== issuer) return [];
    const written = groups.flatMap((group) => settings.groups.get(group) ?? []);
    const others = settings.default === "none" ? [] : [{ role: settings.default, may_download: false }];
    return grantsFrom(groups.some((group) => settings.groups.has(group)) ? written : others, this.#options.config().access.terminals);
  }

  /** Ends the sessions and connections of users whose login has ended, here or in another manager. */
  #endInvalid(): void {
    const { host, users } = this.#opened();
    const before = this.#loggedIn;
    this.#loggedIn = new Map(users.all().map((user) => [`${KIND}:${user.name}`, JSON.stringify([user.issuer, user.subject])]));
    for (const [user, secret] of before) if (this.#loggedIn.get(user) !== secret) host.ended(user, "the login has ended");
  }
}
