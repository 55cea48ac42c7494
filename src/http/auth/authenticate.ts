import { isDeepStrictEqual } from "node:util";
import type { Grant } from "../../base/access.ts";
import type { CommandObserver, EndOfCommand, ObservedCommand } from "../../base/command-observer.ts";
import { MgrError } from "../../base/errors.ts";
import type { Principal } from "../../base/principal.ts";
import type { AccessRules } from "../../config/access-rules.ts";
import type { HttpLog } from "../log/http-log.ts";
import { isBrowser } from "../request/browser.ts";
import { clientName } from "../request/client-name.ts";
import { isRefusal, type Refusal, refusal } from "../request/refusal.ts";
import { addressKey, formatAddress, type RemoteEnd } from "../request/remote-end.ts";
import type { RequestHeaders } from "../request/request-headers.ts";
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
  /** The session of the cookie, or the new one; null over the local socket. */
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
}

export interface AuthenticatorParts {
  readonly access: AccessRules;
  readonly authFile: AuthFile;
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
    if (localUser !== null) return { principal: this.#principal(localUser, "local", ""), sessionId: null, setCookie: null };
    const { authFile, loginSessions } = this.#parts;
    const state = authFile.read();
    if (!state.ok) return refusal(403, state.refusal);
    const loginToken = url.searchParams.get(LOGIN_TOKEN);
    if (loginToken !== null) return this.#enterByToken(loginToken, headers.get("origin"), state.entries, remote);
    const cookie = headers.get("cookie");
    const session = loginSessions.find(sessionTokens(cookie), state.entries);
    const authorization = parseAuthorization(headers.get("authorization"));
    const isRepeatable = authorization.scheme === "basic" && isBrowser(headers) && !isLogin;
    if (session && (isRepeatable || !namesAnotherUser(authorization, session.user))) {
      return {
        principal: this.#principal(session.user, "cookie", formatAddress(remote)),
        sessionId: session.id,
        setCookie: null,
      };
    }
    // The refusal has no challenge: the browser's own dialog would ask for credentials that are refused.
    if (isLoggedOut(cookie) && isBrowser(headers) && !isLogin) return refusal(401, "You have logged out. Log in at /mgr/login.");
    switch (authorization.scheme) {
      case "basic":
        return this.#logIn(authorization, state.entries, { remote, client: clientName(headers, url.searchParams) });
      case "bearer":
        return refusal(401, `Invalid token. ${LOG_IN}`, CHALLENGE);
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
    const end: Terminal = { remote, client: null };
    const entry = state.ok ? await this.#check({ user, password }, state.entries, end) : null;
    if (entry === null || isRefusal(entry)) return null;
    const logIn = await this.#observed(user, end);
    if (isRefusal(logIn)) return null;
    logIn({ ok: true });
    const isSame = (now: AuthEntry) => now.user === entry.user && now.secret === entry.secret;
    const { grants } = this.#principal(user, "basic", formatAddress(remote));
    return {
      grants,
      isValid: () => {
        const now = authFile.read();
        const isUnchanged = isDeepStrictEqual(this.#principal(user, "basic", formatAddress(remote)).grants, grants);
        return isUnchanged && now.ok && now.entries.some(isSame);
      },
    };
  }

  /** The sender with the roles that it has now. */
  #principal(user: string, via: Principal["via"], address: string): Principal {
    return { user, via, address, grants: this.#parts.access.grantsOf(user, { via }) };
  }

  #enterByToken(token: string, origin: string | null, entries: readonly AuthEntry[], remote: RemoteEnd): Admission | Refusal {
    const { loginTokens, loginSessions } = this.#parts;
    const sessionId = loginTokens.find(token, origin);
    const session = sessionId === null ? null : loginSessions.get(sessionId, entries);
    if (session === null) return refusal(401, `The login token has expired, or is for pages of another origin. ${LOG_IN}`, CHALLENGE);
    return {
      principal: this.#principal(session.user, "token", formatAddress(remote)),
      sessionId: session.id,
      setCookie: null,
    };
  }

  async #logIn(claim: { user: string; password: string }, entries: readonly AuthEntry[], from: Terminal): Promise<Admission | Refusal> {
    const entry = await this.#check(claim, entries, from);
    if (isRefusal(entry)) return entry;
    const { loginSessions, log, isHttpsOnly } = this.#parts;
    const { user } = claim;
    const logIn = await this.#observed(user, from);
    if (isRefusal(logIn)) return logIn;
    const address = formatAddress(from.remote);
    const { token, id } = loginSessions.open(entry);
    logIn({ ok: true });
    log("debug", `web user '${user}' logged in from ${address}`);
    return {
      principal: this.#principal(user, "basic", address),
      sessionId: id,
      setCookie: sessionCookie(token, isHttpsOnly),
    };
  }

  /** The log-in waits for its observer, which may refuse it. */
  async #observed(user: string, from: Terminal): Promise<EndOfCommand | Refusal> {
    const command = logInOf(user, from);
    try {
      const granted = { ...command, sender: this.#principal(user, "basic", command.sender.address) };
      return (await this.#parts.observer?.before(granted)) ?? (() => {});
    } catch (error) {
      if (!(error instanceof MgrError)) throw error;
      return refusal(503, `${error.message}.`);
    }
  }

  async #check(
    { user, password }: { user: string; password: string },
    entries: readonly AuthEntry[],
    from: Terminal,
  ): Promise<AuthEntry | Refusal> {
    const { credentials, throttle, authFile, observer, log } = this.#parts;
    const { remote } = from;
    const keys = [`address ${addressKey(remote)}`, `user ${user.slice(0, 255)}`];
    const wait = throttle.wait(keys);
    if (wait > 0) return tooMany(wait, "Too many failed logins.");
    const entry = await credentials.check(entries, user, password);
    if (entry === "busy") return tooMany(1, "Too many logins at once.");
    if (!entry) {
      throttle.failed(keys);
      observer?.refused(logInOf(user, from), { ok: false, code: "forbidden", message: "Unknown user or wrong password" });
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

/** The place from which a user logs in. */
interface Terminal {
  readonly remote: RemoteEnd;
  readonly client: string | null;
}

function logInOf(user: string, { remote, client }: Terminal): ObservedCommand {
  const sender = { user: user.slice(0, 255), via: "basic", address: formatAddress(remote), grants: [] } as const;
  return { name: "log_in", sender, client, requestId: null, target: null, args: {}, secrets: [] };
}

/** Whether the request has credentials that do not name the user of the session, and so have to be checked. */
function namesAnotherUser(authorization: Authorization, user: string): boolean {
  return authorization.scheme === "bearer" || (authorization.scheme === "basic" && authorization.user !== user);
}

function tooMany(seconds: number, reason: string): Refusal {
  return refusal(429, `${reason} Try again in ${seconds} s.`, { "Retry-After": String(seconds) });
}
