import type { ManagerState } from "../actors/control.ts";
import { type Grant, generalRole, roleOn } from "../base/access/access.ts";
import { isWithin } from "../base/text/names.ts";
import { CLIENT_FRAMES, type ClientFrame } from "../protocol/frames/frames.ts";

/** The view that a connection requests (docs/design/wire-rules.md, "Focused connections"). */
export type RequestedView =
  | { readonly kind: "full" }
  | { readonly kind: "single_process"; readonly name: string }
  | { readonly kind: "single_group"; readonly name: string }
  | { readonly kind: "log_only" };

/** The view of a connection: the requested one, or the part of it that its user may see. */
export type ViewMode = RequestedView | GrantedView;

/** The view of a user who has roles on some processes only: those of `within` on which there is a role. */
export interface GrantedView {
  readonly kind: "granted";
  readonly within: RequestedView;
  readonly grants: readonly Grant[];
}

/** The part of a view that these grants show. */
export function viewOf(requested: RequestedView, grants: readonly Grant[]): ViewMode {
  return generalRole(grants) === null ? { kind: "granted", within: requested, grants } : requested;
}

/** The refusal of an upgrade: an HTTP status and a sentence. */
export interface ViewRefusal {
  readonly status: 400 | 404;
  readonly message: string;
}

/**
 * The view that the query of `/ws` requests. Names must exist now; a scope whose object vanishes later stays open.
 * Unknown parameters are ignored.
 */
export function parseViewMode(query: URLSearchParams, state: Pick<ManagerState, "process" | "hasGroup">): RequestedView | ViewRefusal {
  const processes = query.getAll("single_process");
  const groups = query.getAll("single_group");
  const logOnly = isFlagSet(query, "log_only");
  if (processes.length + groups.length + (logOnly ? 1 : 0) > 1) {
    return { status: 400, message: "Give only one of single_process, single_group and log_only, and give it once." };
  }
  const [processName] = processes;
  if (processName !== undefined) {
    if (processName === "") return { status: 400, message: "single_process is empty: give the full name of a process." };
    if (!state.process(processName)) return { status: 404, message: `There is no process '${processName}'.` };
    return { kind: "single_process", name: processName };
  }
  const [groupName] = groups;
  if (groupName !== undefined) {
    if (groupName === "") return { status: 400, message: "single_group is empty: give the full name of a group." };
    if (!state.hasGroup(groupName)) return { status: 404, message: `There is no group '${groupName}'.` };
    return { kind: "single_group", name: groupName };
  }
  return logOnly ? { kind: "log_only" } : { kind: "full" };
}

export function isRefusal<View extends ViewMode>(view: View | ViewRefusal): view is ViewRefusal {
  return "status" in view;
}

/** Whether a process of this name is in view, or a group of a focused connection: by name alone, so that members may come and go. */
export function contains(view: ViewMode, name: string): boolean {
  switch (view.kind) {
    case "full":
      return true;
    case "single_process":
      return name === view.name;
    case "single_group":
      return isWithin(name, view.name);
    case "log_only":
      return false;
    case "granted":
      return roleOn(view.grants, name) !== null && contains(view.within, name);
  }
}

/** The reason why this view may not send that frame, as a sentence; null if it may (docs/design/wire-rules.md, "Focused connections"). */
export function outOfScope(view: ViewMode, frame: ClientFrame): string | null {
  if (view.kind === "granted") return outOfScope(view.within, frame);
  const { scope } = CLIENT_FRAMES[frame.type];
  if (view.kind === "full" || scope === "own") return null;
  if (view.kind === "log_only") {
    return scope === "log" ? null : `The view of this connection is log_only: '${frame.type}' needs a connection with a wider view.`;
  }
  if (scope === "output") return null;
  const name = scope === "name" && "name" in frame ? frame.name : null;
  if (name !== null && contains(view, name)) return null;
  const what = name === null ? `'${frame.type}' exceeds` : `'${name}' is outside`;
  return `${what} the view of this connection (${view.kind}=${view.name}).`;
}

/** Flags of a query count with any value but `0` and `false` (docs/design/wire-rules.md, "HTTP routes"). */
export function isFlagSet(query: URLSearchParams, name: string): boolean {
  return query.getAll(name).some((value) => value !== "0" && value !== "false");
}
