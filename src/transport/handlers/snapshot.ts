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
}: Pick<HandlerContext, "control" | "snapshotParts" | "view" | "principal" | "assetHash" | "logMinLevel">): Snapshot {
  // A focused view has no hosts, clients, topics and services, and gets no events about them.
  const isFull = view.kind === "full";
  const hosts = isFull ? control.state.hosts() : [];
  const snapshot = {
    webui_asset_hash: assetHash,
    manager: control.state.manager,
    hosts: hosts.map((host) => host.name),
    host_list: hosts,
    start_tools: view.kind === "log_only" ? [] : control.state.startTools(),
    process_tree: treeOf({ control, view }),
    processes: processesOf({ control, view }),
    clients: [],
    vnc_sessions: [],
    log_min_level: logMinLevel,
    ...(isFull ? { web_x_display: noDisplay(principal.user) } : {}),
  };
  const parts = snapshotParts.map((part) => part.snapshot?.({ principal, isFull, view }));
  // Each feature fills its own fields (`featureSnapshotFields`), which no type of the core names.
  return Object.assign(snapshot, ...parts) as Snapshot;
}

/** The private display of a user if there are no displays. */
function noDisplay(username: string): WebXDisplay {
  return { known: false, running: false, ready: false, username, display_name: "", process: "" };
}

function treeOf({ control, view }: Pick<HandlerContext, "control" | "view">) {
  if (view.kind === "log_only") return [];
  return view.kind === "full" ? control.state.processTree() : control.state.processTree(view.name);
}

function processesOf({ control, view }: Pick<HandlerContext, "control" | "view">): Process[] {
  switch (view.kind) {
    case "log_only":
      return [];
    case "single_process": {
      const process = control.state.process(view.name);
      return process ? [process] : [];
    }
    case "single_group":
      return control.state.processes().filter((process) => contains(view, process.name));
    case "full":
      return control.state.processes();
  }
}
