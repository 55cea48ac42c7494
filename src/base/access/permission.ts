import { allows, allowsOwned, type Grant, type Need, needText, type Owners } from "./access.ts";

/** The subject of a request, for its permission. */
export type Subject =
  /** The connection or login of the sender. */
  | { readonly kind: "own" }
  /** The processes that the sender may see: the answer is about no others. */
  | { readonly kind: "seen" }
  /** Everything that belongs to no process. */
  | { readonly kind: "general" }
  /** An object that belongs to processes. */
  | { readonly kind: "owned"; readonly by: Owners }
  /** A process, or the members of a group; `members` is empty if there is no such group. */
  | { readonly kind: "named"; readonly name: string; readonly members: readonly string[] };

/**
 * The reason why these grants do not allow a request, as a sentence; null if they do. It is the same for a process that is hidden and for one that
 * does not exist. Only viewers of a group may have a role on some of its members: they see those.
 */
export function permissionRefusal(grants: readonly Grant[], what: string, need: Need, subject: Subject): string | null {
  switch (subject.kind) {
    case "own":
      return null;
    case "seen":
      return grants.length > 0 ? null : refusal(what, need, "at least one process");
    case "general":
      return allows(grants, need, null) ? null : refusal(what, need, "everything");
    case "owned":
      return allowsOwned(grants, need, subject.by)
        ? null
        : refusal(what, need, "everything, or on the processes that its object belongs to");
    case "named": {
      const { name, members } = subject;
      const seen = members.filter((member) => allows(grants, "viewer", member));
      if (seen.length === 0) return allows(grants, need, name) ? null : refusal(what, need, `'${name}'`);
      if (need === "viewer" || members.every((member) => allows(grants, need, member))) return null;
      return refusal(what, need, `all processes of '${name}'`);
    }
  }
}

const refusal = (what: string, need: Need, on: string): string => `${what} needs ${needText(need)} on ${on}.`;
