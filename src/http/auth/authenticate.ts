import { ADMIN_GRANTS } from "../../base/access.ts";
import type { Principal } from "../../base/principal.ts";
import type { HttpLog } from "../log/http-log.ts";
import { isBrowser } from "../request/browser.ts";
import { isRefusal, type Refusal, refusal } from "../request/refusal.ts";
import { addressKey, formatAddress, type RemoteEnd } from "../request/remote-end.ts";
import type { RequestHeaders } from "../request/request-headers.ts";
import { type Account, type Accounts, accountOf, type FindAccount } from "./accounts.ts";
import type { AuthEntry } from "./auth-entries.ts";
import type { AuthFile } from "./auth-file.ts";
import { type Authorization, parseAuthorization } from "./authorization.ts";
import { isLoggedOut, sessionCookie, sessionTokens } from "./cookies.ts";
import type { Credentials } from "./credentials.ts";
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
  /** False once the user is removed from the auth file or has another password. */
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
}

export interface AuthenticatorParts {
  readonly authFile: AuthFile;
  readonly accounts: Accounts;
  readonly loginSessions: LoginSessions;
  readonly loginTokens: LoginTokens;
  readonly credentials: Credentials;
  readonly throttle: Throttle;
  /** Whether only HTTPS is served, so that cookies are `Secure`. */
  readonly isHttpsOnly: boolean;
  readonly log: HttpLog;
}

const CHALLENGE = { "WWW-Authenticate": 'Basic realm="mgr", charset="UTF-8"' };
/** Query parameter for pages of other sites (docs/security.md, "Pages of other origins"). */
const LOGIN_TOKEN = "login_token";
const LOG_IN = "Log in with a user and password of the manager's auth file (HTTP Basic Auth).";

/** Determines the sender of a request. The same rules for every route and every upgrade (docs/design/wire-rules.md, "Authentication"). */
export class Authenticator {
  readonly #parts: AuthenticatorParts;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  async authenticate(headers: RequestHeaders, { remote, url, isLogin }: LoginVisit): Promise<Admission | Refusal> {
    const { localUser } = remote;
    // The auth file is not needed: the kernel has identified this user.
    if (localUser !== null)
      return { principal: { user: localUser, via: "local", address: "", grants: ADMIN_GRANTS }, sessionId: null, setCookie: null };
    const { authFile, accounts, loginSessions } = this.#parts;
    const named = accounts.ofRequest(headers, remote);
    if (named === "wrong")
      return refusal(403, "The proxy sent no valid name of a user. Its administrator finds the rules in docs/logins.md.");
    if (named !== null) return { principal: principalOf(named, "proxy", remote), sessionId: null, setCookie: null };
    const state = authFile.read();
    if (!state.ok) return refusal(403, state.refusal);
    const find = accounts.among(state.entries);
    const loginToken = url.searchParams.get(LOGIN_TOKEN);
    if (loginToken !== null) return this.#enterByToken(loginToken, headers.get("origin"), find, remote);
    const cookie = headers.get("cookie");
    const session = loginSessions.find(sessionTokens(cookie), find);
    const authorization = parseAuthorization(headers.get("authorization"));
    const isRepeatable = authorization.scheme === "basic" && isBrowser(headers) && !isLogin;
    if (session && (isRepeatable || !namesAnotherUser(authorization, session.account.user)))
      return { principal: principalOf(session.account, "cookie", remote), sessionId: session.id, setCookie: null };
    // The refusal has no challenge: the browser's own dialog would ask for credentials that are refused.
    if (isLoggedOut(cookie) && isBrowser(headers) && !isLogin) return refusal(401, "You have logged out. Log in at /mgr/login.");
    switch (authorization.scheme) {
      case "basic":
        return this.#logIn(authorization, state.entries, remote);
      case "bearer":
        return this.#enterByAccessToken(authorization.token, remote, isLogin || isBrowser(headers));
      case "none":
        return refusal(401, LOG_IN, CHALLENGE);
      case "unusable":
        return refusal(401, `The Authorization header is neither Basic nor Bearer, or malformed. ${LOG_IN}`, CHALLENGE);
    }
  }

  /** Checks a user and password that do not arrive over HTTP; opens no session. Null: they are wrong. */
  async admitUser(user: string, password: string, remote: RemoteEnd): Promise<StandingAdmission | null> {
    const { authFile } = this.#parts;
    const state = authFile.read();
    const entry = state.ok ? await this.#check({ user, password }, state.entries, remote) : null;
    if (entry === null || isRefusal(entry)) return null;
    const isSame = (now: AuthEntry) => now.user === entry.user && now.secret === entry.secret;
    return {
      isValid() {
        const now = authFile.read();
        return now.ok && now.entries.some(isSame);
      },
    };
  }

  #enterByToken(token: string, origin: string | null, find: FindAccount, remote: RemoteEnd): Admission | Refusal {
    const { loginTokens, loginSessions } = this.#parts;
    const sessionId = loginTokens.find(token, origin);
    const session = sessionId === null ? null : loginSessions.get(sessionId, find);
    if (session === null) return refusal(401, `The login token has expired, or is for pages of another origin. ${LOG_IN}`, CHALLENGE);
    return { principal: principalOf(session.account, "token", remote), sessionId: session.id, setCookie: null };
  }

  /** Only a browser gets a session: a script sends its token with each request. */
  #enterByAccessToken(token: string, remote: RemoteEnd, opensSession: boolean): Admission | Refusal {
    const { accounts, throttle, log } = this.#parts;
    const account = accounts.ofToken(token);
    if (account === null) return refusal(401, `Invalid token. ${LOG_IN}`, CHALLENGE);
    const keys = [`address ${addressKey(remote)}`];
    const wait = throttle.wait(keys);
    if (wait > 0) return tooMany(wait, "Too many failed logins.");
    if (account === "wrong") {
      throttle.failed(keys);
      log("warning", `web login refused for an access token from ${formatAddress(remote)}`);
      return refusal(401, "The access token is unknown, has expired or was revoked. Ask for a new one.", CHALLENGE);
    }
    return opensSession
      ? this.#open(account, "bearer", remote)
      : { principal: principalOf(account, "bearer", remote), sessionId: null, setCookie: null };
  }

  async #logIn(claim: { user: string; password: string }, entries: readonly AuthEntry[], remote: RemoteEnd): Promise<Admission | Refusal> {
    const entry = await this.#check(claim, entries, remote);
    if (isRefusal(entry)) return entry;
    return this.#open(accountOf(entry), "basic", remote);
  }

  /** Opens a session. */
  #open(account: Account, via: Principal["via"], remote: RemoteEnd): Admission {
    const { loginSessions, log, isHttpsOnly } = this.#parts;
    const { token, id } = loginSessions.open(account);
    const principal = principalOf(account, via, remote);
    log("debug", `web user '${principal.user}' logged in from ${principal.address}`);
    return { principal, sessionId: id, setCookie: sessionCookie(token, isHttpsOnly) };
  }

  async #check(
    { user, password }: { user: string; password: string },
    entries: readonly AuthEntry[],
    remote: RemoteEnd,
  ): Promise<AuthEntry | Refusal> {
    const { credentials, throttle, authFile, log } = this.#parts;
    const keys = [`address ${addressKey(remote)}`, `user ${user.slice(0, 255)}`];
    const wait = throttle.wait(keys);
    if (wait > 0) return tooMany(wait, "Too many failed logins.");
    const entry = await credentials.check(entries, user, password);
    if (entry === "busy") return tooMany(1, "Too many logins at once.");
    if (!entry) {
      throttle.failed(keys);
      log("warning", `web login refused for user ${JSON.stringify(user.slice(0, 255))} from ${formatAddress(remote)}`);
      return refusal(401, `Unknown user or wrong password. ${LOG_IN}`, CHALLENGE);
    }
    // Verifying a hash takes a while: the file may have changed meanwhile.
    const state = authFile.read();
    if (!state.ok) return refusal(403, state.refusal);
    if (!state.entries.some((now) => now.user === entry.user && now.secret === entry.secret)) return refusal(401, LOG_IN, CHALLENGE);
    throttle.succeeded(keys);
    return entry;
  }
}

const principalOf = ({ user, grants }: Account, via: Principal["via"], remote: RemoteEnd): Principal => ({
  user,
  via,
  address: formatAddress(remote),
  grants,
});

/** Whether the request has credentials that do not name the user of the session, and so have to be checked. */
function namesAnotherUser(authorization: Authorization, user: string): boolean {
  return authorization.scheme === "bearer" || (authorization.scheme === "basic" && authorization.user !== user);
}

function tooMany(seconds: number, reason: string): Refusal {
  return refusal(429, `${reason} Try again in ${seconds} s.`, { "Retry-After": String(seconds) });
}
