/** What a tab can show. */
export type View =
  | { kind: "overview" }
  | { kind: "all" }
  | { kind: "log" }
  | { kind: "config" }
  | { kind: "network" }
  /** The user's own display. */
  | { kind: "display" }
  /** The display of a configured VNC server, by the name of its process. */
  | { kind: "session"; name: string }
  | { kind: DataKind }
  | { kind: "process"; name: string }
  | { kind: "group"; name: string }
  | RecordedView
  | TasksView;

/** What the programs exchange. */
export type DataKind = "topics" | "services" | "parameters" | "clients" | "plot" | "recordings" | "loggers";

/** A file of a recording, as a plot. */
export interface RecordedView {
  kind: "recorded";
  recording: string;
  host: string;
  file: string;
}

/** The process list of a host (omitted: the manager's), of one process, scrolled to one thread. */
export interface TasksView {
  kind: "tasks";
  host?: string;
  pid?: number;
  tid?: number;
}

/** The address of process lists (docs/design/wire-rules.md, "HTTP routes"); everything else is shown at "/". */
const TASKS_PATH = "/mgr/process-list";
const TASK_PARAMETERS = ["host", "pid", "tid"];
const RECORDED_PARAMETERS = ["recording", "host", "file"] as const;
/** The parts of the plot (data/plot/plot-address.ts). */
export const PLOT_PARAMETERS = ["trace", "seconds", "scale"] as const;

/** One key per view: equal views have equal keys. */
export function keyOf(view: View): string {
  if (view.kind === "tasks") return `tasks:${view.host ?? ""}:${view.pid ?? ""}:${view.tid ?? ""}`;
  if (view.kind === "recorded") return `recorded:${view.recording}:${view.host}:${view.file}`;
  return "name" in view ? `${view.kind}:${view.name}` : view.kind;
}

const TITLES = {
  overview: "Overview",
  all: "All processes",
  log: "Log",
  config: "Configuration",
  network: "Network",
  display: "Display",
  topics: "Topics",
  services: "Services",
  parameters: "Parameters",
  clients: "Clients",
  plot: "Plot",
  recordings: "Recordings",
  loggers: "Loggers",
} as const;
/** Views of which there is one, by their name in an address. */
const isSingle = (kind: unknown): kind is keyof typeof TITLES => typeof kind === "string" && Object.hasOwn(TITLES, kind);

export function titleOf(view: View): string {
  if ("name" in view) return view.name.slice(view.name.lastIndexOf("/") + 1);
  if (view.kind === "tasks") return view.pid === undefined ? "Tasks" : `Process ${view.pid}`;
  return view.kind === "recorded" ? view.recording : TITLES[view.kind];
}

/** The part of an address that names a view. */
export interface Address {
  pathname: string;
  search: string;
}

/** The view that an address requests; null if it names none. Other parameters are ignored here. */
export function viewOfAddress({ pathname, search }: Address): View | null {
  const parameters = new URLSearchParams(search);
  if (pathname === TASKS_PATH) return tasksView(parameters.get("host"), parameters.get("pid"), parameters.get("tid"));
  const process = parameters.get("process");
  if (process) return { kind: "process", name: process };
  const group = parameters.get("group");
  if (group) return { kind: "group", name: group };
  const recorded = recordedView(Object.fromEntries(parameters));
  if (recorded) return recorded;
  const session = parameters.get("session");
  if (session) return { kind: "session", name: session };
  const view = parameters.get("view");
  return isSingle(view) ? { kind: view } : null;
}

function tasksView(host: unknown, pid: unknown, tid: unknown): TasksView {
  const view: TasksView = { kind: "tasks" };
  if (typeof host === "string" && host !== "") view.host = host;
  if (isId(pid)) view.pid = Number(pid);
  if (isId(tid)) view.tid = Number(tid);
  return view;
}

function recordedView({ recording, host, file }: Partial<Record<string, unknown>>): RecordedView | null {
  if (typeof recording !== "string" || typeof host !== "string" || typeof file !== "string") return null;
  return recording === "" || host === "" || file === "" ? null : { kind: "recorded", recording, host, file };
}

const isId = (value: unknown) => value !== null && Number.isInteger(Number(value)) && Number(value) > 0;

/** The address of a view, with all parameters of `search` that belong to no view. */
export function addressOfView(view: View, search: string): string {
  return (view.kind === "tasks" ? TASKS_PATH : "/") + searchOfView(view, search);
}

function searchOfView(view: View, search: string): string {
  const parameters = new URLSearchParams(search);
  for (const name of ["process", "group", "session", "view", ...TASK_PARAMETERS, ...RECORDED_PARAMETERS]) parameters.delete(name);
  if (view.kind !== "plot") for (const name of PLOT_PARAMETERS) parameters.delete(name);
  if ("name" in view) parameters.set(view.kind, view.name);
  else if (view.kind === "tasks") {
    for (const [name, value] of Object.entries({ host: view.host, pid: view.pid, tid: view.tid }))
      if (value !== undefined) parameters.set(name, String(value));
  } else if (view.kind === "recorded") {
    for (const name of RECORDED_PARAMETERS) parameters.set(name, view[name]);
  } else if (view.kind !== "overview") parameters.set("view", view.kind);
  // Slashes are legal in a query and easier to read.
  const text = parameters.toString().replaceAll("%2F", "/");
  return text === "" ? "" : `?${text}`;
}

/** Whether an address is that of a pop-out window: one view and nothing else. */
export function isPoppedOut(address: Address): boolean {
  return new URLSearchParams(address.search).get("window") === "1" && viewOfAddress(address) !== null;
}

/**
 * The query of the WebSocket: a pop-out window uses the manager's focused connections (docs/design/wire-rules.md, "Focused connections").
 */
export function socketQuery(address: Address): string {
  const view = isPoppedOut(address) ? viewOfAddress(address) : null;
  if (view?.kind === "process") return `?single_process=${encodeURIComponent(view.name)}`;
  if (view?.kind === "group") return `?single_group=${encodeURIComponent(view.name)}`;
  return view?.kind === "log" ? "?log_only=1" : "";
}

/** Parses a stored view; null if it is invalid. */
export function readView(value: unknown): View | null {
  if (typeof value !== "object" || value === null || !("kind" in value)) return null;
  const { kind } = value;
  if (isSingle(kind)) return { kind };
  if (kind === "tasks") {
    const { host, pid, tid } = value as Partial<Record<"host" | "pid" | "tid", unknown>>;
    return tasksView(host, pid ?? null, tid ?? null);
  }
  if (kind === "recorded") return recordedView({ ...value });
  if (kind !== "process" && kind !== "group" && kind !== "session") return null;
  return "name" in value && typeof value.name === "string" ? { kind, name: value.name } : null;
}

const DATA_KINDS: ReadonlySet<string> = new Set<DataKind>(["topics", "services", "parameters", "clients", "plot", "recordings", "loggers"]);

/** Whether a view shows what the programs exchange. */
export const isData = (view: View): view is { kind: DataKind } => DATA_KINDS.has(view.kind);
/** Whether it belongs to them, too. */
export const isOfData = (view: View): boolean => isData(view) || view.kind === "recorded";
