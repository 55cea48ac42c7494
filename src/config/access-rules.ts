import { ADMIN_GRANTS, type Grant } from "../base/access/access.ts";
import { LOCAL_OPERATOR, type Principal } from "../base/access/principal.ts";
import type { Config } from "./definition.ts";

type Access = Config["access"];
type WrittenGrants = Access["users"] extends ReadonlyMap<string, infer Grants> ? Grants : never;

/** The roles of users by the present configuration (docs/access.md). */
export class AccessRules {
  readonly #access: () => Access;

  /** `access` is read for each answer, so that a reload takes effect at once. */
  constructor(access: () => Access) {
    this.#access = access;
  }

  /** The grants of a user. Empty: the user may do nothing, and see nothing. */
  grantsOf(user: string, { via }: Pick<Principal, "via">): readonly Grant[] {
    const { users, default: others, terminals, local_operators: group } = this.#access();
    if (via === "local" && user.startsWith(LOCAL_OPERATOR))
      return group === null ? [] : grantsFrom([{ role: "operator", may_download: false }], terminals);
    // These are the manager's own user and root, who can read and change everything without the manager, too.
    if (via === "local" || via === "in-process") return ADMIN_GRANTS;
    const written = users.get(user) ?? (others === "none" ? [] : [{ role: others, may_download: false }]);
    return grantsFrom(written, terminals);
  }
}

/** The grants that the configuration writes for a user, or for a group of users. */
export function grantsFrom(written: WrittenGrants, terminals: Access["terminals"]): readonly Grant[] {
  return written.map(({ role, may_download, ...rest }) => ({
    role,
    on: "on" in rest ? rest.on : null,
    ...(may_download ? { mayDownload: true as const } : {}),
    ...(terminals === "operator" ? { mayType: true as const } : {}),
  }));
}
