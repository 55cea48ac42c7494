import { createHash, createHmac, randomBytes } from "node:crypto";
import type { HttpLog } from "../log/http-log.ts";
import type { Account, FindAccount } from "./accounts.ts";
import type { FileLock } from "./file-lock.ts";
import { LoginSessionsFile, type StoredLoginSession } from "./login-sessions-file.ts";

const DAY_MS = 24 * 3_600_000;
/** A session ends after 7 idle days and after 30 days; a user has at most 64 (docs/design/wire-rules.md, "Authentication"). */
export const IDLE_MS = 7 * DAY_MS;
export const LIFETIME_MS = 30 * DAY_MS;
export const MAX_PER_USER = 64;
/** Maximum age of times of use on disk, ms. */
const USED_GRAIN_MS = 60_000;

export interface LoginSessionsOptions {
  /** File in which sessions are kept across restarts; null: they are not kept. */
  readonly path: string | null;
  /** Locks out other managers with the same auth file while the sessions file is read and written. */
  readonly lock: FileLock;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called when a session has come to its own end, another manager with the same auth file ended it, or the file was removed. */
  readonly onEnded: (id: string) => void;
  readonly log: HttpLog;
}

/** A valid session, with its user as it is now. */
export interface FoundSession {
  readonly id: string;
  readonly account: Account;
}

/** Logged-in browsers: random tokens of which only the SHA-256 is kept. Managers with the same auth file share them. */
export class LoginSessions {
  readonly #sessions = new Map<string, StoredLoginSession>();
  readonly #file: LoginSessionsFile | null;
  readonly #now: () => number;
  readonly #onEnded: (id: string) => void;
  /** Ids that are not in the file yet, and ended ids that are still in it. */
  readonly #unsaved = new Set<string>();
  readonly #ended = new Set<string>();

  constructor({ path, lock, now, onEnded, log }: LoginSessionsOptions) {
    this.#now = now;
    this.#onEnded = onEnded;
    this.#file =
      path === null
        ? null
        : new LoginSessionsFile({ path, lock, merge: (stored) => this.#merge(stored), saved: (merged) => this.#saved(merged), log });
    for (const session of this.#file?.readFirst() ?? []) {
      if (this.#isAlive(session)) this.#sessions.set(session.id, session);
    }
  }

  /** Opens a session for a user who has just logged in. Returns its token. It ends at `until` (Unix milliseconds) at the latest. */
  open({ user, secret }: Pick<Account, "user" | "secret">, until?: number): { token: string; id: string } {
    this.refresh();
    this.#makeRoom(user);
    const token = randomBytes(32).toString("base64url");
    const id = idOf(token);
    const now = this.#now();
    const end = until === undefined ? {} : { until };
    this.#sessions.set(id, { id, user, created: now, used: now, presented: false, credential: fingerprint(id, secret), ...end });
    this.#unsaved.add(id);
    this.#file?.save();
    return { token, id };
  }

  /**
   * The valid session of the first token that has one, for a user whose secret has not changed. Sessions of users for whom `mayEnter` is false are
   * passed over, and do not end.
   */
  find(tokens: readonly string[], accounts: FindAccount, mayEnter: (user: string) => boolean = () => true): FoundSession | null {
    for (const token of tokens) {
      const session = this.get(idOf(token), accounts, mayEnter);
      if (session) return session;
    }
    return null;
  }

  /** The session with this id, if it is valid as in `find`. */
  get(id: string, accounts: FindAccount, mayEnter: (user: string) => boolean = () => true): FoundSession | null {
    this.refresh();
    const session = this.#sessions.get(id);
    if (!session || !mayEnter(session.user)) return null;
    const account = this.#isAlive(session) ? currentAccount(session, accounts) : null;
    if (account !== null) {
      this.#touch(session);
      return { id, account };
    }
    this.end(id);
    return null;
  }

  end(id: string): void {
    if (!this.#remove(id)) return;
    this.#file?.save();
  }

  /** Merges the changes of other managers, and retries failed writes. Cheap while nothing changed. */
  refresh(): void {
    const stored = this.#file?.readIfChanged() ?? null;
    if (stored !== null) this.#merge(stored);
  }

  /** Ends the sessions whose own end has come, with what was opened with them. */
  expire(): void {
    const now = this.#now();
    for (const { id, until } of [...this.#sessions.values()]) {
      if (until === undefined || now < until) continue;
      this.end(id);
      this.#onEnded(id);
    }
  }

  /** Ends the sessions that `accounts` no longer allows: removed users, and changed passwords. */
  prune(accounts: FindAccount): void {
    for (const session of [...this.#sessions.values()]) {
      if (!this.#isAlive(session) || currentAccount(session, accounts) === null) this.end(session.id);
    }
  }

  /** Resolves once everything is on disk. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Makes room for a new session: sessions that were never presented again are removed first, then the longest unused. */
  #makeRoom(user: string): void {
    const own = [...this.#sessions.values()].filter((session) => session.user === user);
    own.sort((a, b) => Number(a.presented) - Number(b.presented) || a.used - b.used);
    for (const { id } of own.slice(0, Math.max(0, own.length - MAX_PER_USER + 1))) this.#remove(id);
  }

  #remove(id: string): boolean {
    if (!this.#sessions.delete(id)) return false;
    this.#unsaved.delete(id);
    // A session that was never saved is included: it may be in a write that is in progress.
    this.#ended.add(id);
    return true;
  }

  /** The file's content merged with changes made here; sessions that vanished from the file were ended elsewhere. */
  #merge(stored: readonly StoredLoginSession[]): StoredLoginSession[] {
    const there = new Set(stored.map(({ id }) => id));
    for (const theirs of stored) {
      const own = this.#sessions.get(theirs.id);
      if (own) {
        own.used = Math.max(own.used, theirs.used);
        own.presented ||= theirs.presented;
      } else if (!this.#ended.has(theirs.id) && this.#isAlive(theirs)) this.#sessions.set(theirs.id, theirs);
    }
    for (const id of [...this.#sessions.keys()]) {
      if (there.has(id) || this.#unsaved.has(id)) continue;
      this.#sessions.delete(id);
      this.#onEnded(id);
    }
    return [...this.#sessions.values()];
  }

  /** Called when the merged content is on disk. */
  #saved(merged: readonly StoredLoginSession[]): void {
    for (const { id } of merged) this.#unsaved.delete(id);
    for (const id of this.#ended) if (!merged.some((session) => session.id === id)) this.#ended.delete(id);
  }

  #touch(session: StoredLoginSession): void {
    const now = this.#now();
    const isNews = !session.presented || now - session.used >= USED_GRAIN_MS;
    session.presented = true;
    session.used = now;
    if (isNews) this.#file?.save();
  }

  #isAlive({ created, used, until }: StoredLoginSession): boolean {
    const now = this.#now();
    return now < (until ?? Number.POSITIVE_INFINITY) && now - used < IDLE_MS && now - created < LIFETIME_MS;
  }
}

/** The account of a session's user; null: the user was removed, or has another secret. */
function currentAccount({ id, user, credential }: StoredLoginSession, accounts: FindAccount): Account | null {
  const account = accounts(user);
  return account !== null && fingerprint(id, account.secret) === credential ? account : null;
}

function idOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The fingerprint differs for each session, so that equal passwords are not visible. */
function fingerprint(id: string, secret: string): string {
  return createHmac("sha256", id).update(secret).digest("hex");
}
