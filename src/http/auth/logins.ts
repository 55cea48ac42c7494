import type { Grant } from "../../base/access/access.ts";
import type { Principal } from "../../base/access/principal.ts";
import type { CommandObserver } from "../../base/command-observer.ts";
import type { AccessRules } from "../../config/access-rules.ts";
import type { HttpLog } from "../log/http-log.ts";
import { Accounts, type LoginHost, type LoginSource } from "./accounts.ts";
import type { AuthEntry } from "./auth-entries.ts";
import { AuthFile } from "./auth-file.ts";
import { Authenticator } from "./authenticate.ts";
import { Credentials } from "./credentials.ts";
import type { FileLock } from "./file-lock.ts";
import type { LoginOffer } from "./login-offer.ts";
import { LoginSessions } from "./login-sessions.ts";
import { LoginTokens } from "./login-tokens.ts";
import { Throttle } from "./throttle.ts";

export interface LoginsOptions {
  /** Absolute path of the auth file; null: not configured, and all users are refused. */
  readonly path: string | null;
  /** Roles of users. */
  readonly access: AccessRules;
  /** Locks other managers with the same auth file out of the sessions file. */
  readonly lock: FileLock;
  readonly isHttpsOnly: boolean;
  /** Users beside those of the auth file. */
  readonly sources: readonly ((host: LoginHost) => LoginSource)[];
  /** Sees the log-ins. */
  readonly observer: CommandObserver | null;
  /** Ends everything that belongs to a session, or to the users for which `which` is true. */
  readonly end: (which: { readonly session: string } | { readonly isUser: (user: string) => boolean }, reason: string) => void;
  readonly log: HttpLog;
}

/** The users of the auth file and of features: their sessions, login tokens and failed attempts. */
export class Logins {
  readonly authenticator: Authenticator;
  readonly tokens = new LoginTokens(() => performance.now());
  readonly #authFile: AuthFile;
  readonly #accounts: Accounts;
  readonly #loginSessions: LoginSessions;
  readonly #options: LoginsOptions;
  #refusals = 0;

  constructor(options: LoginsOptions) {
    this.#options = options;
    const { path, access, lock, isHttpsOnly, sources, observer, end, log } = options;
    const authFile = new AuthFile(path, log);
    const find = (user: string) => {
      // While the file is refused, all requests are: that an editor replaces it must not end what its users have opened.
      authFile.read();
      return accounts.among(authFile.lastEntries)(user);
    };
    const ended = (user: string, reason: string) => {
      loginSessions.prune(find);
      end({ isUser: (each) => each === user }, reason);
    };
    const opened = sources.map((open) => {
      const endAll = (reason: string) => end({ isUser: (user) => user.startsWith(`${source.kind}:`) }, reason);
      const enter: LoginHost["open"] = (...login) => this.authenticator.enter(...login);
      const refused: LoginHost["refused"] = (...login) => this.authenticator.refused(...login);
      const source: LoginSource = open({ authFile: path, lock, find, open: enter, refused, ended, endAll, log });
      return source;
    });
    const accounts = new Accounts(access, opened);
    const loginSessions = new LoginSessions({
      path: path === null ? null : `${path}.sessions`,
      lock,
      now: () => Date.now(),
      onEnded: (session) => end({ session }, "logged out"),
      log,
    });
    authFile.onChange((previous, next) => {
      loginSessions.prune(accounts.among(next));
      const revoked = revokedUsers(previous, next);
      for (const user of revoked) log("info", `web user '${user}' was removed or has a new password: sessions and connections are closed`);
      if (revoked.size > 0) end({ isUser: (user) => revoked.has(user) }, "the password changed or the user was removed");
    });
    const credentials = new Credentials();
    const throttle = new Throttle(() => performance.now());
    this.authenticator = new Authenticator({
      authFile,
      accounts,
      loginSessions,
      loginTokens: this.tokens,
      credentials,
      throttle,
      observer,
      isHttpsOnly,
      log,
    });
    this.#authFile = authFile;
    this.#accounts = accounts;
    this.#loginSessions = loginSessions;
  }

  /** The reason why all logins are refused now, and what to do; null: users of the auth file can log in. */
  problem(): string | null {
    const logins = this.#authFile.read();
    return logins.ok ? null : logins.refusal;
  }

  /** Reads the files again. Called regularly, so that users are revoked without a request. */
  refresh(): void {
    this.#refusals = this.problem() === null ? 0 : this.#refusals + 1;
    // Logins end after two refusals in a row, because an editor may remove the file briefly. Other users do not need the auth file.
    if (this.#refusals === 2)
      this.#options.end({ isUser: (user) => this.#accounts.needsAuthFile(user) }, "the auth file has become unusable");
    this.#loginSessions.refresh();
    this.#loginSessions.expire();
    this.#accounts.refresh();
  }

  /** Ways to log in beside a password. */
  offers(): readonly LoginOffer[] {
    return this.#accounts.offers();
  }

  /** The present roles of a user. */
  grantsOf(user: Pick<Principal, "user" | "via">): readonly Grant[] {
    return this.#accounts.grantsOf(user);
  }

  endLoginSession(id: string): void {
    this.#loginSessions.end(id);
    this.#options.end({ session: id }, "logged out");
  }

  /** Resolves when the sessions are saved. */
  flush(): Promise<void> {
    return this.#loginSessions.flush();
  }
}

function revokedUsers(previous: readonly AuthEntry[], next: readonly AuthEntry[]): Set<string> {
  const kept = (before: AuthEntry) => next.some(({ user, secret }) => user === before.user && secret === before.secret);
  return new Set(previous.filter((before) => !kept(before)).map(({ user }) => user));
}
