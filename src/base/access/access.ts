import { compileFnmatch } from "../patterns/fnmatch.ts";

/** Roles by what they may do, the least first; each may do what those before it may. */
export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** A role on everything, or on the processes whose names match one of the patterns. */
export interface Grant {
  readonly role: Role;
  /** Patterns of names, as in requests for output; null: everything, what belongs to no process included. */
  readonly on: readonly string[] | null;
  /** Whether a viewer may also download; operators may. */
  readonly mayDownload?: true;
  /** Whether an operator may also type into terminals; admins may. */
  readonly mayType?: true;
}

/** The need of a request: a role, or one of the permissions that a role has only where the configuration adds it. */
export type Need = Role | "download" | "typing";

/** Everything is allowed. */
export const ADMIN_GRANTS: readonly Grant[] = [{ role: "admin", on: null }];

/** Whether a role includes what `needed` may do; null: no role. */
export const includesRole = (role: Role | null, needed: Role): boolean => role !== null && ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** The role on what belongs to no process, such as hosts and the configuration; null: none. */
export const generalRole = (grants: readonly Grant[]): Role | null => highest(grants.filter(({ on }) => on === null));

/** The role on a process; null: it is not even seen. */
export const roleOn = (grants: readonly Grant[], process: string): Role | null => highest(grants.filter((grant) => isOn(grant, process)));

/** Whether the grants allow what needs `need`: on a process, or in general (null). */
export const allows = (grants: readonly Grant[], need: Need, process: string | null): boolean =>
  grants.some((grant) => (process === null ? grant.on === null : isOn(grant, process)) && fulfils(grant, need));

/** The processes to which an object belongs; null: to none, also to a program that is no process, or there is no such object. */
export type Owners = readonly string[] | null;

/** Whether the grants allow what needs `need` on an object: on all of its owners, or on everything. */
export const allowsOwned = (grants: readonly Grant[], need: Need, owners: Owners): boolean =>
  owners === null || owners.length === 0 ? allows(grants, need, null) : owners.every((owner) => allows(grants, need, owner));

/** The need in words: "the role operator". */
export function needText(need: Need): string {
  if (need === "download") return "the role operator, or viewer with may_download";
  return need === "typing" ? "the role admin, or operator with 'terminals: operator'" : `the role ${need}`;
}

function fulfils({ role, mayDownload, mayType }: Grant, need: Need): boolean {
  if (need === "download") return mayDownload === true || includesRole(role, "operator");
  if (need === "typing") return role === "admin" || (mayType === true && role === "operator");
  return includesRole(role, need);
}

function isOn({ on }: Grant, process: string): boolean {
  return on === null || on.some((pattern) => matcherOf(pattern)(process));
}

/** Compiled patterns: each event is compared with those of each connection that sees only some processes. */
const matchers = new Map<string, (name: string) => boolean>();
/** Maximum number of compiled patterns that are kept; when it is reached, all are compiled again. */
const MAX_MATCHERS = 4_096;

function matcherOf(pattern: string): (name: string) => boolean {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const matches = compileFnmatch(pattern);
  if (matchers.size >= MAX_MATCHERS) matchers.clear();
  matchers.set(pattern, matches);
  return matches;
}

function highest(grants: readonly Grant[]): Role | null {
  return grants.reduce<Role | null>((role, { role: other }) => (includesRole(role, other) ? role : other), null);
}
