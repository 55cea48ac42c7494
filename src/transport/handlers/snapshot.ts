import type { Grant } from "../../base/access/access.ts";
import { MANAGER_FRAMES, type ManagerFrame } from "../../protocol/frames/frames.ts";
import type { Process, Snapshot, WebXDisplay } from "../../protocol/resources/resources.ts";
import { contains } from "../view.ts";
import type { HandlerContext, HandlerTable } from "./handler.ts";

export const snapshotHandlers: HandlerTable<"get_snapshot"> = {
  get_snapshot: {
    kind: "request",
    answer: (_frame, context) => {
      // Earlier events are sent first, then the state, then later events: nothing is missed or repeated.
      context.flushEvents();
      const followers = context.view.kind === "full" ? context.snapshotParts.flatMap(({ afterSnapshot }) => afterSnapshot?.() ?? []) : [];
      // Lists first, then single resources.
      const isChange = ({ type }: ManagerFrame) => Number("mergeKey" in MANAGER_FRAMES[type]);
      return [{ type: "snapshot", ...snapshotOf(context) }, ...followers.sort((one, other) => isChange(one) - isChange(other))];
    },
  },
};

/** The whole state as `view` shows it, as of this turn. */
export function snapshotOf({
  control,
  snapshotParts,
  view,
  principal,
  assetHash,
  logMinLevel,
  hiddenNames,
}: Pick<HandlerContext, "control" | "snapshotParts" | "view" | "principal" | "assetHash" | "logMinLevel" | "hiddenNames">): Snapshot {
  // A focused view has no hosts, clients, topics and services, and gets no events about them.
  const isFull = view.kind === "full";
  const hosts = isFull ? control.state.hosts() : [];
  const snapshot = {
    webui_asset_hash: assetHash,
    manager: control.state.manager,
    hosts: hosts.map((host) => host.name),
    host_list: hosts,
    start_tools: (view.kind === "granted" ? view.within : view).kind === "log_only" ? [] : control.state.startTools(),
    process_tree: treeOf({ control, view, hiddenNames }),
    processes: processesOf({ control, view, hiddenNames }),
    clients: [],
    vnc_sessions: [],
    log_min_level: logMinLevel,
    access: { user: principal.user, grants: principal.grants.map(wireGrant) },
    ...(isFull ? { web_x_display: noDisplay(principal.user) } : {}),
  };
  const parts = snapshotParts.map((part) => part.snapshot?.({ principal, isFull, view, hiddenNames }));
  // Each feature fills its own fields (`featureSnapshotFields`), which no type of the core names.
  return Object.assign(snapshot, ...parts) as Snapshot;
}

const wireGrant = ({ role, on, mayDownload, mayType }: Grant) => ({
  role,
  on: on === null ? null : [...on],
  may_download: mayDownload === true,
  may_type: mayType === true,
});

type Shown = Pick<HandlerContext, "control" | "view" | "hiddenNames">;

/** The private display of a user if there are no displays. */
function noDisplay(username: string): WebXDisplay {
  return { known: false, running: false, ready: false, username, display_name: "", process: "" };
}

function treeOf({ control: { state }, view, hiddenNames }: Shown) {
  const within = view.kind === "granted" ? view.within : view;
  if (within.kind === "log_only") return [];
  const tree = within.kind === "full" ? state.processTree() : state.processTree(within.name);
  return hiddenNames?.tree(tree, (each) => state.process(each)) ?? tree;
}

function processesOf({ control: { state }, view, hiddenNames }: Shown): Process[] {
  const processes = view.kind === "single_process" ? [state.process(view.name) ?? []].flat() : state.processes();
  const shown = view.kind === "full" ? processes : processes.filter(({ name }) => contains(view, name));
  return hiddenNames === null ? shown : shown.map((process) => hiddenNames.process(process));
}
