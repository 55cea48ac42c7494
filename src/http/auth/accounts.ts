import type { Grant } from "../../base/access/access.ts";
import type { Principal } from "../../base/access/principal.ts";
import type { AccessRules } from "../../config/access-rules.ts";
import type { HttpLog } from "../log/http-log.ts";
import type { Refusal } from "../request/refusal.ts";
import type { RemoteEnd } from "../request/remote-end.ts";
import type { RequestHeaders } from "../request/request-headers.ts";
import type { AuthEntry } from "./auth-entries.ts";
import type { FileLock } from "./file-lock.ts";
import type { LoginOffer, LoginPlace, OpenedLogin } from "./login-offer.ts";

/** A user who may log in now. */
export interface Account {
  readonly user: string;
  /** A session ends when this is no longer what it was when the session was opened: a password, for example. */
  readonly secret: string;
  readonly grants: readonly Grant[];
  /** The account of a token for URLs: it is accepted in the query of routes that take such a token, and nowhere else. */
  readonly isForUrls?: boolean;
}

/** The account of a user; null: the user may not log in any more. */
export type FindAccount = (user: string) => Account | null;

/** Users beside those of the auth file. A feature adds them; their names are `<kind>:<name>`, which no user of the auth file has. */
export interface LoginSource {
  readonly kind: string;
  readonly find: FindAccount;
  /** The account whose Bearer token this is. `wrong`: it has the form of one of this source; null: it has not. */
  readonly ofToken?: (token: string) => Account | "wrong" | null;
  /**
   * The account that a request has without a session, whatever else it carries. `wrong`: it claims one that may not log in; null: it claims none.
   */
  readonly ofRequest?: (headers: RequestHeaders, remote: RemoteEnd) => Account | "wrong" | null;
  /** Whether its users need no auth file: they log in, and stay, while the auth file is refused. */
  readonly isIndependent?: boolean;
  /** The address at which its users log in with a browser, for the login page; null: there is none now. */
  readonly offer?: () => LoginOffer | null;
  /** Called every few seconds: users who have lost their access are reported to `ended`. */
  readonly refresh?: () => void;
}

/** The interface of the web logins for sources. */
export interface LoginHost {
  /** Path of the auth file; null: there is none, and only sources have users. */
  readonly authFile: string | null;
  /** Locks other managers with the same auth file out of files beside it. */
  readonly lock: FileLock;
  /** A user of any source, or of the auth file as it was last valid. */
  readonly find: FindAccount;
  /**
   * Opens a session for a user of the source who has just shown, by other means than a password, who it is. It ends at `until` (Unix milliseconds) at the
   * latest.
   */
  readonly open: (account: Account, place: LoginPlace, until: number) => Promise<OpenedLogin | Refusal>;
  /** Records a login that the source has refused, with the reason as a sentence. */
  readonly refused: (user: string, place: LoginPlace, reason: string) => void;
  /** Ends the sessions of a user of the source that are not valid any more, and the user's connections. */
  readonly ended: (user: string, reason: string) => void;
  /** Ends the connections of all users of the source; they may log in again. */
  readonly endAll: (reason: string) => void;
  readonly log: HttpLog;
}

/** The users of the auth file and of all sources. */
export class Accounts {
  readonly #access: AccessRules;
  readonly #sources: ReadonlyMap<string, LoginSource>;

  constructor(access: AccessRules, sources: readonly LoginSource[]) {
    this.#access = access;
    this.#sources = new Map(sources.map((source) => [source.kind, source]));
  }

  /** Finds users, given the entries of the auth file; null: the file is refused, and users who need it are not found. */
  among(entries: readonly AuthEntry[] | null): FindAccount {
    return (user) => {
      if (entries === null && this.needsAuthFile(user)) return null;
      const source = this.#sourceOf(user);
      if (source !== undefined) return source.find(user);
      const entry = entries?.find((each) => each.user === user);
      return entry === undefined ? null : { user, secret: entry.secret, grants: this.grantsOf({ user, via: "basic" }) };
    };
  }

  /**
   * What a user may do now. The configuration decides about users of the auth file and of the local socket only: a user of a source has the grants
   * of its account, and none when there is no such account any more.
   */
  grantsOf({ user, via }: Pick<Principal, "user" | "via">): readonly Grant[] {
    const isLocal = via === "local" || via === "in-process";
    return isLocal || !user.includes(":") ? this.#access.grantsOf(user, { via }) : (this.#sourceOf(user)?.find(user)?.grants ?? []);
  }

  ofToken(token: string): Account | "wrong" | null {
    for (const { ofToken } of this.#sources.values()) {
      const found = ofToken?.(token) ?? null;
      if (found !== null) return found;
    }
    return null;
  }

  ofRequest(headers: RequestHeaders, remote: RemoteEnd): Account | "wrong" | null {
    for (const { ofRequest } of this.#sources.values()) {
      const found = ofRequest?.(headers, remote) ?? null;
      if (found !== null) return found;
    }
    return null;
  }

  /** Whether the user loses access with the auth file. Users of the local socket and clients of the bus do not. */
  needsAuthFile(user: string): boolean {
    if (!user.includes(":")) return true;
    const source = this.#sourceOf(user);
    return source !== undefined && source.isIndependent !== true;
  }

  /** Ways to log in beside a password. */
  offers(): LoginOffer[] {
    return [...this.#sources.values()].flatMap(({ offer }) => offer?.() ?? []);
  }

  refresh(): void {
    for (const { refresh } of this.#sources.values()) refresh?.();
  }

  #sourceOf(user: string): LoginSource | undefined {
    const colon = user.indexOf(":");
    return colon < 0 ? undefined : this.#sources.get(user.slice(0, colon));
  }
}
