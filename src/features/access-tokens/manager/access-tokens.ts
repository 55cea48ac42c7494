import { createHash, randomBytes } from "node:crypto";
import { type Grant, generalRole } from "../../../base/access/access.ts";
import type { Principal } from "../../../base/access/principal.ts";
import { MgrError } from "../../../base/errors.ts";
import type { Account, LoginHost, LoginSource } from "../../../http/auth/accounts.ts";
import type { FrameOf } from "../../../protocol/frames/frames.ts";
import { formatTime } from "../../../protocol/time.ts";
import { DEFAULT_LIFETIME_S, MAX_TOKENS } from "../limits.ts";
import type { AccessToken } from "../wire.ts";
import { type StoredToken, type TokenFile, tokenFile } from "./token-file.ts";

/** Kind of the users that log in with an access token. */
const KIND = "token";
/** Users of the local socket: the manager's own user and root. They cannot be removed, and no web user has such a name. */
const LOCAL = "local:";
/** A token by its form: the prefix lets secret scanners find it. */
const FORM = /^mgr_[\w-]{43}$/;

/** The parts that the web logins give, when the port is prepared. */
interface Attached {
  readonly host: LoginHost;
  /** Null: there is no auth file beside which tokens could be kept. */
  readonly file: TokenFile | null;
}

/** Access tokens: users without a password, who have one role until they expire or are revoked. */
export class AccessTokens {
  readonly #now: () => number;
  #attached: Attached | null = null;
  /** Hashes of the tokens that were valid at the last check or have logged in since, by user. */
  #valid = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The login of the users of the tokens. */
  source(host: LoginHost): LoginSource {
    const { authFile, lock, log } = host;
    const file = authFile === null ? null : tokenFile({ path: `${authFile}.tokens`, lock, warn: (msg) => log("warning", msg) });
    this.#attached = { host, file };
    return {
      kind: KIND,
      find: (user) => this.#accountOf(this.#tokens().find((token) => userOf(token) === user)),
      ofToken: (secret) => {
        if (!FORM.test(secret)) return null;
        const hash = hashOf(secret);
        return this.#accountOf(this.#tokens().find((token) => token.hash === hash)) ?? "wrong";
      },
      refresh: () => this.#endInvalid(),
    };
  }

  list(): AccessToken[] {
    return this.#tokens()
      .filter((token) => this.#isAlive(token))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((token) => this.#shown(token));
  }

  /** Resolves when the token is on disk. Rejects with `forbidden` and `conflict`. */
  async create(
    {
      name,
      role,
      on: patterns,
      lifetime = DEFAULT_LIFETIME_S,
      for_url = false,
      may_download = false,
    }: Omit<FrameOf<"create_access_token">, "type">,
    by: Principal,
  ): Promise<{ token: AccessToken; secret: string }> {
    if (!isAdmin(by.grants))
      throw new MgrError("forbidden", "Only an admin can create access tokens: they grant no more than their creator has.");
    if (by.user.startsWith(`${KIND}:`)) throw new MgrError("forbidden", "A user of an access token cannot create further tokens.");
    const { host, file } = this.#opened();
    const secret = `mgr_${randomBytes(32).toString("base64url")}`;
    const [created, on] = [this.#now(), patterns ?? null];
    const token: StoredToken = {
      ...{ name, hash: hashOf(secret), role, on, created, expires: created + lifetime * 1_000, by: creatorOf(by) },
      ...(for_url && { for_url }),
      ...(may_download && { may_download }),
    };
    await file.update((tokens) => {
      const alive = tokens.filter((each) => this.#isAlive(each));
      if (alive.some((each) => each.name === name))
        throw new MgrError("conflict", `There is an access token '${name}' already. Revoke it first, or choose another name.`);
      if (alive.length >= MAX_TOKENS) throw new MgrError("conflict", `There are ${MAX_TOKENS} access tokens already. Revoke some first.`);
      return [...alive, token];
    });
    host.log("info", `access token '${name}' (${role} on ${on === null ? "everything" : on.join(", ")}) was created by ${by.user}`);
    this.#endInvalid();
    return { token: this.#shown(token), secret };
  }

  /** Resolves when the token is gone from the disk, and its connections are being closed. Rejects with `not_found` and `conflict`. */
  async revoke(name: string, by: Pick<Principal, "user">): Promise<void> {
    const { host, file } = this.#opened();
    await file.update((tokens) => {
      const alive = tokens.filter((each) => this.#isAlive(each));
      if (!alive.some((each) => each.name === name)) throw new MgrError("not_found", `There is no access token '${name}'.`);
      return alive.filter((each) => each.name !== name);
    });
    host.log("info", `access token '${name}' was revoked by ${by.user}`);
    this.#endInvalid();
  }

  #opened(): Attached & { file: TokenFile } {
    const { host, file } = this.#attached ?? {};
    if (host === undefined) throw new MgrError("conflict", "This manager has no port, so it has no access tokens.");
    if (file == null) throw new MgrError("conflict", "Access tokens are kept beside the auth file: name one in instance.webui_auth_file.");
    return { host, file };
  }

  #tokens(): StoredToken[] {
    return [...(this.#attached?.file?.read() ?? [])];
  }

  #accountOf(token: StoredToken | undefined): Account | null {
    if (token === undefined || !this.#isValid(token)) return null;
    this.#valid.set(userOf(token), token.hash);
    return { user: userOf(token), secret: token.hash, grants: [grantOf(token)], isForUrls: token.for_url ?? false };
  }

  #isAlive({ expires }: StoredToken): boolean {
    return this.#now() < expires;
  }

  /** A token never grants more than its creator has now: it counts while its creator could create it. */
  #isValid(token: StoredToken): boolean {
    if (!this.#isAlive(token)) return false;
    if (token.by.startsWith(LOCAL)) return true;
    // No access token creates another one; a file that says so must not be followed in a circle.
    if (token.by.startsWith(`${KIND}:`)) return false;
    return isAdmin(this.#attached?.host.find(token.by)?.grants ?? []);
  }

  #shown(token: StoredToken): AccessToken {
    const { name, role, on, for_url = false, may_download = false, created, expires, by } = token;
    return {
      name,
      role,
      on,
      for_url,
      may_download,
      created: formatTime(created),
      created_by: by,
      expires: formatTime(expires),
      valid: this.#isValid(token),
    };
  }

  /** Ends the sessions and connections of users whose token has become invalid. */
  #endInvalid(): void {
    const before = this.#valid;
    const valid = this.#tokens().filter((token) => this.#isValid(token));
    this.#valid = new Map(valid.map((token) => [userOf(token), token.hash]));
    for (const [user, hash] of before) {
      if (this.#valid.get(user) !== hash) this.#attached?.host.ended(user, "the access token has expired or was revoked");
    }
  }
}

/** The embedding program has the permissions of the user that it runs as. */
const creatorOf = ({ user, via }: Principal): string => (via === "in-process" ? `${LOCAL}${user}` : user);

const grantOf = ({ role, on, may_download }: StoredToken): Grant => ({ role, on, ...(may_download && { mayDownload: true as const }) });

const userOf = ({ name }: Pick<StoredToken, "name">): string => `${KIND}:${name}`;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

const isAdmin = (grants: readonly Grant[]): boolean => generalRole(grants) === "admin";
