import { isDeepStrictEqual } from "node:util";
import type { Grant } from "../../base/access/access.ts";
import type { Principal } from "../../base/access/principal.ts";
import type { CommandObserver, EndOfCommand, ObservedCommand } from "../../base/command-observer.ts";
import { MgrError } from "../../base/errors.ts";
import type { HttpLog } from "../log/http-log.ts";
import { isBrowser } from "../request/browser.ts";
import { clientName } from "../request/client-name.ts";
import { isRefusal, type Refusal, refusal } from "../request/refusal.ts";
import { addressKey, formatAddress, type RemoteEnd } from "../request/remote-end.ts";
import type { RequestHeaders } from "../request/request-headers.ts";
import type { Account, Accounts, FindAccount } from "./accounts.ts";
import type { AuthEntry } from "./auth-entries.ts";
import type { AuthFile, AuthFileState } from "./auth-file.ts";
import { type Authorization, parseAuthorization } from "./authorization.ts";
import { isLoggedOut, sessionCookie, sessionTokens } from "./cookies.ts";
import type { Credentials } from "./credentials.ts";
import type { LoginPlace, OpenedLogin } from "./login-offer.ts";
import type { LoginSessions } from "./login-sessions.ts";
import type { LoginTokens } from "./login-tokens.ts";
import type { Throttle } from "./throttle.ts";

/** A request that was admitted. */
export interface Admission {
  readonly principal: Principal;
  /** The session of the cookie, or the new one; null over the local socket, for a token that a script sends, and for a user whom a proxy names. */
  readonly sessionId: string | null;
  /** Value of the Set-Cookie header for the response. */
  readonly setCookie: string | null;
}

/** The admission of a connection that lives longer than its login. */
export interface StandingAdmission {
  readonly grants: readonly Grant[];
  /** False once the user is removed from the auth file, or has another password or other roles. */
  isValid(): boolean;
}

export interface LoginVisit {
  readonly remote: RemoteEnd;
  /** Only path and query are used. */
  readonly url: URL;
  /**
   * Whether it is the request of the login form. In any other request, a browser may repeat Basic credentials by itself: a session then has
   * precedence over them, and after a log-out they open none.
   */
  readonly isLogin: boolean;
  /** Whether the query may hold an access token for URLs. */
  readonly takesUrlToken?: boolean;
}

export interface AuthenticatorParts {
  readonly authFile: AuthFile;
  readonly accounts: Accounts;
  readonly loginSessions: LoginSessions;
  readonly loginTokens: LoginTokens;
  readonly credentials: Credentials;
  readonly throttle: Throttle;
  /** Sees the log-ins. */
  readonly observer: CommandObserver | null;
  /** Whether only HTTPS is served, so that cookies are `Secure`. */
  readonly isHttpsOnly: boolean;
  readonly log: HttpLog;
}

const CHALLENGE = { "WWW-Authenticate": 'Basic realm="mgr", charset="UTF-8"' };
/** Query parameter for pages of other sites (docs/security.md, "Pages of other origins"). */
export const LOGIN_TOKEN = "login_token";
/** Query parameter for access tokens for URLs. */
export const URL_TOKEN = "token";
const NOT_FOR_URLS = "This access token must not be used in a URL. Create one with: mgr token create --for-url";
const ONLY_FOR_URLS =
  "This access token is accepted only in the URL of a viewer (docs/foxglove.md). Create another one with: mgr token create";
/** The user of a log-in with a token that no user has: no user of the auth file has a name with spaces. */
const UNKNOWN_TOKEN = "unknown token";
const LOG_IN = "Log in with a user and password of the manager's auth file (HTTP Basic Auth).";

/** Determines the sender of a request. The same rules for every route and every upgrade (docs/design/wire-rules.md, "Authentication"). */
export class Authenticator {
  readonly #parts: AuthenticatorParts;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  async authenticate(headers: RequestHeaders, { remote, url, isLogin, takesUrlToken = false }: LoginVisit): Promise<Admission | Refusal> {
    const { localUser } = remote;
    const { authFile, accounts, loginSessions } = this.#parts;
    // The auth file is not needed: the kernel has identified this user.
    if (localUser !== null) return admissionOf(this.#local(localUser), null);
    const named = accounts.ofRequest(headers, remote);
    if (named === "wrong")
      return refusal(403, "The proxy sent no valid name of a user. Its administrator finds the rules in docs/logins.md.");
    if (named !== null) return admissionOf(principalOf(named, "proxy", remote), null);
    const state = authFile.read();
    const loginToken = url.searchParams.get(LOGIN_TOKEN);
    if (loginToken !== null) return this.#enterByToken(loginToken, headers.get("origin"), state, remote);
    const from: LoginPlace = { remote, client: clientName(headers, url.searchParams) };
    const urlToken = takesUrlToken ? url.searchParams.get(URL_TOKEN) : null;
    if (urlToken !== null) return this.#enterByAccessToken(urlToken, from, "url");
    const cookie = headers.get("cookie");
    const session = loginSessions.find(sessionTokens(cookie), ...this.#usersOf(state));
    const authorization = parseAuthorization(headers.get("authorization"));
    const isRepeatable = authorization.scheme === "basic" && isBrowser(headers) && !isLogin;
    if (session && (isRepeatable || !namesAnotherUser(authorization, session.account.user)))
      return admissionOf(principalOf(session.account, "cookie", remote), session.id);
    const isPlainVisit = authorization.scheme === "none" && isBrowser(headers);
    if (!state.ok)
      return isPlainVisit && accounts.offers().length > 0 ? refusal(401, "Log in at /mgr/login.") : refusal(403, state.refusal);
    // The refusal has no challenge: the browser's own dialog would ask for credentials that are refused.
    if (isLoggedOut(cookie) && isBrowser(headers) && !isLogin) return refusal(401, "You have logged out. Log in at /mgr/login.");
    switch (authorization.scheme) {
      case "basic":
        return this.#logIn(authorization, state.entries, from);
      case "bearer":
        return this.#enterByAccessToken(authorization.token, from, isLogin || isBrowser(headers) ? "session" : "header");
      case "none":
        return refusal(401, LOG_IN, CHALLENGE);
      case "unusable":
        return refusal(401, `The Authorization header is neither Basic nor Bearer, or malformed. ${LOG_IN}`, CHALLENGE);
    }
  }

  /** Checks a user and password that do not arrive over HTTP; opens no session. Null: they are wrong. */
  async admitUser(user: string, password: string, remote: RemoteEnd): Promise<StandingAdmission | null> {
    const { authFile, accounts } = this.#parts;
    const state = authFile.read();
    const from: LoginPlace = { remote, client: null };
    const account = state.ok ? await this.#check({ user, password }, state.entries, from) : null;
    if (account === null || isRefusal(account)) return null;
    const logIn = await this.#observed(principalOf(account, "basic", remote), from);
    if (isRefusal(logIn)) return null;
    logIn({ ok: true });
    return {
      grants: account.grants,
      isValid: () => {
        const now = authFile.read();
        return now.ok && isDeepStrictEqual(accounts.among(now.entries)(user), account);
      },
    };
  }

  #local(user: string): Principal {
    const via = "local";
    return { user, via, address: "", grants: this.#parts.accounts.grantsOf({ user, via }) };
  }

  /** Opens a session for a user of a source, who has just shown to it who it is. */
  async enter(account: Account, from: LoginPlace, until: number): Promise<OpenedLogin | Refusal> {
    return this.#open(account, "provider", from, until);
  }

  /** Records and logs a login that a source has refused. */
  refused(user: string, from: LoginPlace, message: string): void {
    const { observer, log } = this.#parts;
    observer?.refused(logInOf(nobody(user, "provider", from.remote), from), { ok: false, code: "forbidden", message });
    log("warning", `web login refused for user ${JSON.stringify(user)} from ${formatAddress(from.remote)}: ${message}`);
  }

  /** The users who may log in now, and whether a user's sessions count: those of users who need the auth file do not while it is refused. */
  #usersOf(state: AuthFileState): [FindAccount, (user: string) => boolean] {
    const { accounts } = this.#parts;
    return [accounts.among(state.ok ? state.entries : null), (user) => state.ok || !accounts.needsAuthFile(user)];
  }

  #enterByToken(token: string, origin: string | null, state: AuthFileState, remote: RemoteEnd): Admission | Refusal {
    const { loginTokens, loginSessions } = this.#parts;
    const sessionId = loginTokens.find(token, origin);
    const session = sessionId === null ? null : loginSessions.get(sessionId, ...this.#usersOf(state));
    if (session === null && !state.ok) return refusal(403, state.refusal);
    if (session === null) return refusal(401, `The login token has expired, or is for pages of another origin. ${LOG_IN}`, CHALLENGE);
    return admissionOf(principalOf(session.account, "token", remote), session.id);
  }

  /** Only a browser gets a session: a script sends its token with each request. */
  async #enterByAccessToken(token: string, from: LoginPlace, use: "url" | "header" | "session"): Promise<Admission | Refusal> {
    const { accounts, throttle, observer, log } = this.#parts;
    const { remote } = from;
    const account = accounts.ofToken(token);
    if (account === null) return refusal(401, `Invalid token. ${LOG_IN}`, CHALLENGE);
    const keys = [`address ${addressKey(remote)}`];
    const wait = throttle.wait(keys);
    if (wait > 0) return tooMany(wait, "Too many failed logins.");
    if (account === "wrong") {
      throttle.failed(keys);
      observer?.refused(logInOf(nobody(UNKNOWN_TOKEN, "bearer", remote), from), {
        ok: false,
        code: "forbidden",
        message: "Unknown access token",
      });
      log("warning", `web login refused for an access token from ${formatAddress(remote)}`);
      return refusal(401, "The access token is unknown, has expired or was revoked. Ask for a new one.", CHALLENGE);
    }
    if ((account.isForUrls ?? false) !== (use === "url")) return refusal(403, use === "url" ? NOT_FOR_URLS : ONLY_FOR_URLS);
    return use === "session" ? this.#open(account, "bearer", from) : admissionOf(principalOf(account, "bearer", remote), null);
  }

  async #logIn(claim: { user: string; password: string }, entries: readonly AuthEntry[], from: LoginPlace): Promise<Admission | Refusal> {
    const account = await this.#check(claim, entries, from);
    return isRefusal(account) ? account : this.#open(account, "basic", from);
  }

  /** Opens a session, which ends at `until` (Unix milliseconds) at the latest. */
  async #open(
    account: Account,
    via: Principal["via"],
    from: LoginPlace,
    until?: number,
  ): Promise<(Admission & { setCookie: string }) | Refusal> {
    const { accounts, authFile, loginSessions, log, isHttpsOnly } = this.#parts;
    const principal = principalOf(account, via, from.remote);
    const logIn = await this.#observed(principal, from);
    if (isRefusal(logIn)) return logIn;
    // The user may have been revoked meanwhile.
    const state = authFile.read();
    const now = accounts.among(state.ok ? state.entries : null)(account.user);
    if (now?.secret !== account.secret) {
      logIn({ ok: false, code: "forbidden", message: "The user was revoked" });
      return refusal(401, LOG_IN, CHALLENGE);
    }
    const { token, id } = loginSessions.open(account, until);
    logIn({ ok: true });
    log("debug", `web user '${principal.user}' logged in from ${principal.address}`);
    return { principal: { ...principal, grants: now.grants }, sessionId: id, setCookie: sessionCookie(token, isHttpsOnly) };
  }

  /** The log-in waits for its observer, which may refuse it. */
  async #observed(sender: Principal, from: LoginPlace): Promise<EndOfCommand | Refusal> {
    try {
      return (await this.#parts.observer?.before(logInOf(sender, from))) ?? (() => {});
    } catch (error) {
      if (!(error instanceof MgrError)) throw error;
      return refusal(503, `${error.message}.`);
    }
  }

  async #check(
    { user, password }: { user: string; password: string },
    entries: readonly AuthEntry[],
    from: LoginPlace,
  ): Promise<Account | Refusal> {
    const { accounts, credentials, throttle, authFile, observer, log } = this.#parts;
    const { remote } = from;
    const keys = [`address ${addressKey(remote)}`, `user ${user.slice(0, 255)}`];
    const wait = throttle.wait(keys);
    if (wait > 0) return tooMany(wait, "Too many failed logins.");
    const entry = await credentials.check(entries, user, password);
    if (entry === "busy") return tooMany(1, "Too many logins at once.");
    if (!entry) {
      throttle.failed(keys);
      observer?.refused(logInOf(nobody(user.slice(0, 255), "basic", remote), from), {
        ok: false,
        code: "forbidden",
        message: "Unknown user or wrong password",
      });
      log("warning", `web login refused for user ${JSON.stringify(user.slice(0, 255))} from ${formatAddress(remote)}`);
      return refusal(401, `Unknown user or wrong password. ${LOG_IN}`, CHALLENGE);
    }
    // Verifying a hash takes a while: the file may have changed meanwhile.
    const state = authFile.read();
    if (!state.ok) return refusal(403, state.refusal);
    const account = accounts.among(state.entries)(entry.user);
    if (account?.secret !== entry.secret) return refusal(401, LOG_IN, CHALLENGE);
    throttle.succeeded(keys);
    return account;
  }
}

const principalOf = ({ user, grants }: Pick<Account, "user" | "grants">, via: Principal["via"], remote: RemoteEnd): Principal => ({
  user,
  via,
  address: formatAddress(remote),
  grants,
});

/** The sender of a log-in that fails. */
const nobody = (user: string, via: Principal["via"], remote: RemoteEnd): Principal => principalOf({ user, grants: [] }, via, remote);

const admissionOf = (principal: Principal, sessionId: string | null): Admission => ({ principal, sessionId, setCookie: null });

const logInOf = (sender: Principal, { client }: LoginPlace): ObservedCommand => ({
  name: "log_in",
  sender,
  client,
  requestId: null,
  target: null,
  args: {},
  secrets: [],
});

/** Whether the request has credentials that do not name the user of the session, and so have to be checked. */
function namesAnotherUser(authorization: Authorization, user: string): boolean {
  return authorization.scheme === "bearer" || (authorization.scheme === "basic" && authorization.user !== user);
}

function tooMany(seconds: number, reason: string): Refusal {
  return refusal(429, `${reason} Try again in ${seconds} s.`, { "Retry-After": String(seconds) });
}
