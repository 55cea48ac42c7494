import type { ManagerState } from "../../actors/control.ts";
import { allows, type Grant } from "../../base/access/access.ts";
import { permissionRefusal } from "../../base/access/permission.ts";
import { named } from "../../transport/frame-permission.ts";
import { type Refusal, refusal } from "../request/refusal.ts";
import type { RouteNeeds } from "../route.ts";

type Processes = Pick<ManagerState, "processes" | "hasGroup">;

/** The refusal of a request that these grants do not allow; null: they do. Routes and WebSockets are checked here and nowhere else. */
export function routeRefusal(
  { needs, path }: { readonly needs: RouteNeeds | null; readonly path: string },
  { query, grants, state }: { readonly query: URLSearchParams; readonly grants: readonly Grant[]; readonly state: Processes },
): Refusal | null {
  if (needs === null) return null;
  const { need, on } = needs(query);
  if (allows(grants, need, null)) return null;
  const says = permissionRefusal(grants, path, need, on === null ? { kind: "general" } : named(on, state));
  return says === null ? null : refusal(403, says);
}
