import type { ManagerState } from "../actors/control.ts";
import { allows, type Grant, type Need, type Owners } from "../base/access/access.ts";
import { permissionRefusal, type Subject } from "../base/access/permission.ts";
import { isWithin } from "../base/text/names.ts";
import type { ClientFrameSpec } from "../protocol/frames/frame-table.ts";
import { CLIENT_FRAMES, type ClientFrame } from "../protocol/frames/frames.ts";

type Processes = Pick<ManagerState, "processes" | "hasGroup">;

/**
 * The reason why these grants do not allow this frame, as a sentence; null if they do (docs/access.md). `owners` returns the processes to which
 * its object belongs, if that is its scope.
 */
export function frameRefusal(frame: ClientFrame, grants: readonly Grant[], state: Processes, owners: () => Owners): string | null {
  const spec: ClientFrameSpec = CLIENT_FRAMES[frame.type];
  const values = frame as Readonly<Record<string, unknown>>;
  const needs: [string, Need][] = [[`'${frame.type}'`, spec.role]];
  for (const [field, role] of Object.entries(spec.fieldRoles ?? {}))
    if ((values[field] ?? false) !== false) needs.push([`'${frame.type}' with ${field}`, role]);
  // The rest takes a while for a group of thousands of processes.
  if (needs.every(([, need]) => allows(grants, need, null))) return null;
  const subject = subjectOf(frame, spec, state, owners);
  for (const [what, need] of needs) {
    const refusal = permissionRefusal(grants, what, need, subject);
    if (refusal !== null) return refusal;
  }
  return null;
}

function subjectOf(frame: ClientFrame, { scope }: ClientFrameSpec, state: Processes, owners: () => Owners): Subject {
  switch (scope) {
    case "own":
      return { kind: "own" };
    case "output":
    case "log":
    case "seen":
      return { kind: "seen" };
    case "owned":
      return { kind: "owned", by: owners() };
    case "global":
      return { kind: "general" };
    case "name": {
      const { name } = frame as { readonly name?: string };
      return name === undefined ? { kind: "seen" } : named(name, state);
    }
  }
}

/** The process or group of this name as the subject of a request. */
export function named(name: string, state: Processes): Subject {
  const members = state.hasGroup(name) ? state.processes().flatMap((each) => (isWithin(each.name, name) ? each.name : [])) : [];
  return { kind: "named", name, members };
}
