import { compileFnmatch } from "./fnmatch.ts";

/** Roles by what they may do, the least first; each may do what those before it may. */
export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** A role on everything, or on the processes whose names match one of the patterns. */
export interface Grant {
  readonly role: Role;
  /** Patterns of names, as in requests for output; null: everything, what belongs to no process included. */
  readonly on: readonly string[] | null;
}

/** Everything is allowed. */
export const ADMIN_GRANTS: readonly Grant[] = [{ role: "admin", on: null }];

/** Whether a role includes what `needed` may do; null: no role. */
export const includesRole = (role: Role | null, needed: Role): boolean => role !== null && ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** The role on what belongs to no process, such as hosts and the configuration; null: none. */
export const generalRole = (grants: readonly Grant[]): Role | null => highest(grants.filter(({ on }) => on === null));

/** The role on a process; null: it is not even seen. */
export const roleOn = (grants: readonly Grant[], process: string): Role | null =>
  highest(grants.filter(({ on }) => on === null || on.some((pattern) => compileFnmatch(pattern)(process))));

function highest(grants: readonly Grant[]): Role | null {
  return grants.reduce<Role | null>((role, { role: other }) => (includesRole(role, other) ? role : other), null);
}
