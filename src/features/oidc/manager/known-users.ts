import { z } from "zod";
import type { LoginHost } from "../../../http/auth/accounts.ts";
import { SharedFile } from "../../../http/auth/shared-file.ts";

const STORED = z.object({
  name: z.string(),
  issuer: z.string(),
  subject: z.string(),
  groups: z.array(z.string()),
  /** Unix milliseconds: the end of the newest session of the user. */
  until: z.number(),
});

/** A user who has logged in, as the provider described it at the last login. */
export type KnownUser = Readonly<z.infer<typeof STORED>>;

/** Maximum number of users who are logged in; the one whose login ends first is forgotten. A user needs up to 17 kB in the file. */
export const MAX_USERS = 256;

/** The users who have logged in: beside the auth file, or in memory if there is none. */
export class KnownUsers {
  readonly #file: SharedFile<KnownUser> | null;
  readonly #now: () => number;
  #inMemory: readonly KnownUser[] = [];

  constructor({ authFile, lock, log }: Pick<LoginHost, "authFile" | "lock" | "log">, now: () => number) {
    this.#now = now;
    const words = { what: "logins of the OpenID provider", removal: "to have its users log in again" };
    const warn = (msg: string) => log("warning", msg);
    this.#file =
      authFile === null ? null : new SharedFile({ ...words, path: `${authFile}.oidc`, list: "users", entry: STORED, lock, warn });
  }

  /** The users whose login has not ended. */
  all(): readonly KnownUser[] {
    const now = this.#now();
    return (this.#file?.read() ?? this.#inMemory).filter(({ until }) => now < until);
  }

  /** The user of this name at the issuer, or else at another issuer, which a manager with the same auth file uses. */
  find(name: string, issuer: string | undefined): KnownUser | null {
    const named = this.all().filter((user) => user.name === name);
    return named.find((user) => user.issuer === issuer) ?? named[0] ?? null;
  }

  /** Resolves when the user is on the disk. Rejects with `conflict`. */
  async remember(user: KnownUser): Promise<void> {
    const replaced = (users: readonly KnownUser[]) => {
      const isOther = ({ name, issuer }: KnownUser) => name !== user.name || issuer !== user.issuer;
      const others = users.filter((each) => isOther(each) && this.#now() < each.until).sort((a, b) => b.until - a.until);
      return [...others.slice(0, MAX_USERS - 1), user];
    };
    if (this.#file === null) this.#inMemory = replaced(this.#inMemory);
    else await this.#file.update(replaced);
  }
}
