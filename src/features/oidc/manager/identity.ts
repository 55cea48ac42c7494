import type { OidcSettings } from "../config.ts";

/** A user as the provider describes it. */
export interface Identity {
  readonly name: string;
  /** The provider's identifier of the user, which never belongs to another one. */
  readonly subject: string;
  readonly groups: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

/** A name is shown in logs and on the page, and follows `oidc:`. */
const NAME = /^[^\s:\p{C}\p{Zl}\p{Zp}](?:[^:\p{C}\p{Zl}\p{Zp}]{0,253}[^\s:\p{C}\p{Zl}\p{Zp}])?$/u;
const MAX_GROUP_CHARS = 255;
/** Longest list of groups that is kept of a user, characters. */
const MAX_GROUPS_CHARS = 4_096;

/** The identity in the claims of a user; a text: the reason why there is none, as the end of a sentence about the provider. */
export function identityIn(claims: Claims, { name_claim, groups_claim, groups: known }: OidcSettings): Identity | string {
  const name = claimOf(claims, name_claim);
  const { sub } = claims;
  if (typeof sub !== "string" || sub === "") return "did not say who the user is (there is no claim 'sub')";
  if (name === undefined) return `did not send the claim '${name_claim}' with the name of the user`;
  if (typeof name !== "string" || !NAME.test(name))
    return `sent a name of the user in '${name_claim}' that is not allowed: 1 to 255 characters without ':' and control characters`;
  return { name, subject: sub, groups: kept(groupsIn(claimOf(claims, groups_claim)), known) };
}

/** Whether a claim that the configuration uses is missing. */
export const isIncomplete = (claims: Claims, { name_claim, groups_claim }: OidcSettings): boolean =>
  [name_claim, groups_claim].some((claim) => claimOf(claims, claim) === undefined);

/** The claim of this name, or else the value at this path of keys with dots between them. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((at, key) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    return (at as Claims)[key];
  }, claims);
}

function groupsIn(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const names = values.filter((group): group is string => typeof group === "string" && group.length <= MAX_GROUP_CHARS && group !== "");
  return [...new Set(names)];
}

/** The groups within the limit, those with a role first: users of a large directory are in hundreds. */
function kept(groups: readonly string[], known: OidcSettings["groups"]): string[] {
  let chars = 0;
  return [...groups]
    .sort((a, b) => Number(known.has(b)) - Number(known.has(a)))
    .filter((group) => {
      chars += group.length;
      return chars <= MAX_GROUPS_CHARS;
    });
}
