/** What a tab can show. */
export type View =
  | { kind: "overview" }
  | { kind: "log" }
  | { kind: "config" }
  | { kind: "process"; name: string }
  | { kind: "group"; name: string };

/** One text a view: equal views have equal keys. */
export function keyOf(view: View): string {
  return "name" in view ? `${view.kind}:${view.name}` : view.kind;
}

export function titleOf(view: View): string {
  if ("name" in view) return view.name.slice(view.name.lastIndexOf("/") + 1);
  return view.kind === "overview" ? "Overview" : view.kind === "log" ? "Log" : "Configuration";
}

/** The view that an address asks for; null if it names none. Other parameters are nobody's business here. */
export function viewOfSearch(search: string): View | null {
  const parameters = new URLSearchParams(search);
  const process = parameters.get("process");
  if (process) return { kind: "process", name: process };
  const group = parameters.get("group");
  if (group) return { kind: "group", name: group };
  const view = parameters.get("view");
  return view === "overview" || view === "log" || view === "config" ? { kind: view } : null;
}

/** `search` with the parameters of another view; all others are kept. */
export function searchOfView(view: View, search: string): string {
  const parameters = new URLSearchParams(search);
  for (const name of ["process", "group", "view"]) parameters.delete(name);
  if ("name" in view) parameters.set(view.kind, view.name);
  else if (view.kind !== "overview") parameters.set("view", view.kind);
  // Slashes are legal in a query and easier to read.
  const text = parameters.toString().replaceAll("%2F", "/");
  return text === "" ? "" : `?${text}`;
}

/** Whether an address is that of a window of its own: one view and nothing else. */
export function isPoppedOut(search: string): boolean {
  return new URLSearchParams(search).get("window") === "1" && viewOfSearch(search) !== null;
}

/** The query of the WebSocket: a window of its own uses the manager's focused connections (protocol.md, "GET /ws"). */
export function socketQuery(search: string): string {
  const view = isPoppedOut(search) ? viewOfSearch(search) : null;
  if (view?.kind === "process") return `?single_process=${encodeURIComponent(view.name)}`;
  if (view?.kind === "group") return `?single_group=${encodeURIComponent(view.name)}`;
  return view?.kind === "log" ? "?log_only=1" : "";
}

/** Reads a view that was stored; null if it is none. */
export function readView(value: unknown): View | null {
  if (typeof value !== "object" || value === null || !("kind" in value)) return null;
  const { kind } = value;
  if (kind === "overview" || kind === "log" || kind === "config") return { kind };
  if (kind !== "process" && kind !== "group") return null;
  return "name" in value && typeof value.name === "string" ? { kind, name: value.name } : null;
}
