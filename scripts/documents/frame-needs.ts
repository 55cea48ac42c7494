import type { Need } from "../../src/base/access/access.ts";
import type { ClientFrameSpec } from "../../src/protocol/frames/frame-table.ts";
import { CLIENT_FRAMES } from "../../src/protocol/frames/frames.ts";

/**
 * The needs of frames for the page, which does not load the tables of frames (`web/src/state/frame-needs.json`): of frames about a name, of those
 * about what belongs to no process, of those about an object of processes, and of fields. Frames that every user may send about what the user sees are left out.
 */
export function frameNeeds(): object {
  const name: Record<string, Need> = {};
  const everything: Record<string, Need> = {};
  const owned: Record<string, Need> = {};
  const fields: Record<string, Readonly<Record<string, Need>>> = {};
  for (const [type, { scope, role, fieldRoles }] of Object.entries<ClientFrameSpec>(CLIENT_FRAMES)) {
    if (scope === "global") everything[type] = role;
    else if (scope === "owned") owned[type] = role;
    else if (scope === "name" && role !== "viewer") name[type] = role;
    if (fieldRoles !== undefined) fields[type] = fieldRoles;
  }
  return { name, everything, owned, fields };
}
