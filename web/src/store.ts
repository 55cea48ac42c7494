import { computed, type Signal, signal } from "@preact/signals";
import { messageOf } from "../../src/base/errors.ts";
import { ManagerClient } from "../../src/client/manager-client.ts";
import { type WebSocketLike, webSocketLink } from "../../src/client/websocket-link.ts";
import type { ClientFrame, ManagerFrame } from "../../src/protocol/frames.ts";
import type { LogEntry, Process, ProcessTreeNode, Snapshot } from "../../src/protocol/resources.ts";
import { reloadIfStale } from "./asset-hash.ts";

/** How many log entries the page keeps. */
const LOG_KEPT = 2_000;
const LOG_HISTORY = 500;

export type Connection = { kind: "connecting" | "open" } | { kind: "lost"; reason: string };

/** What the page knows: fed by frames, read by components. A signal per process, so that a change repaints one row. */
export const connection = signal<Connection>({ kind: "connecting" });
export const instance = signal<{ name: string; host: string }>({ name: "", host: "" });
export const tree = signal<ProcessTreeNode[]>([]);
export const processNames = signal<string[]>([]);
export const logEntries = signal<LogEntry[]>([]);
export const toasts = signal<{ id: number; text: string; bad: boolean }[]>([]);
/** Name of the shown process, "" for the overview. */
export const selected = signal(new URLSearchParams(location.search).get("process") ?? "");

const processes = new Map<string, Signal<Process>>();

export function processSignal(name: string): Signal<Process> | undefined {
  return processes.get(name);
}

export const selectedProcess = computed(() => {
  // Read so that an appearing or vanishing process is noticed.
  void processNames.value;
  return processes.get(selected.value);
});

/** How many processes are in each state. */
export const counts = computed(() => {
  const found = new Map<string, number>();
  for (const name of processNames.value) {
    const state = processes.get(name)?.value.state;
    if (state) found.set(state, (found.get(state) ?? 0) + 1);
  }
  return found;
});

const address = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;
const link = webSocketLink({ open: () => new WebSocket(address) as unknown as WebSocketLike });
export const client = new ManagerClient(link);

link.state$.subscribe((state) => {
  if (state.kind === "open") void resync();
  else if (state.kind === "waiting" || state.kind === "closed") connection.value = { kind: "lost", reason: state.reason };
});
link.frames$.subscribe(receive);

/** After each (re)connection the whole truth is asked for; what came before is replaced. */
async function resync(): Promise<void> {
  try {
    applySnapshot(await client.snapshot());
    logEntries.value = [];
    link.send({ type: "request_logs", level: "info", limit: LOG_HISTORY });
    connection.value = { kind: "open" };
  } catch (error) {
    connection.value = { kind: "lost", reason: messageOf(error) };
  }
}

function applySnapshot(snapshot: Snapshot): void {
  if (reloadIfStale(snapshot.webui_asset_hash)) return;
  instance.value = snapshot.manager;
  tree.value = snapshot.process_tree;
  const names = new Set(snapshot.processes.map((process) => process.name));
  for (const name of processes.keys()) if (!names.has(name)) processes.delete(name);
  for (const process of snapshot.processes) upsert(process);
  processNames.value = [...processes.keys()];
  document.title = `${snapshot.manager.name} — mgr`;
}

function upsert(process: Process): void {
  const known = processes.get(process.name);
  if (known) known.value = process;
  else processes.set(process.name, signal(process));
}

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "process_upsert": {
      const isNew = !processes.has(frame.process.name);
      upsert(frame.process);
      if (isNew) processNames.value = [...processes.keys()];
      break;
    }
    case "process_remove":
      processes.delete(frame.name);
      processNames.value = [...processes.keys()];
      break;
    case "process_tree":
      tree.value = frame.process_tree;
      break;
    case "log_batch":
      logEntries.value = merge(logEntries.value, frame.entries);
      break;
  }
}

/** Entries by id without repeats: history and live entries may overlap. */
function merge(old: LogEntry[], fresh: LogEntry[]): LogEntry[] {
  const last = old.at(-1);
  const first = fresh[0];
  if (!first) return old;
  if (!last || first.id > last.id) return [...old, ...fresh].slice(-LOG_KEPT);
  const byId = new Map([...fresh, ...old].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => a.id - b.id).slice(-LOG_KEPT);
}

/** Sends a command; a refusal becomes a toast. */
export async function command(frame: ClientFrame): Promise<void> {
  try {
    await client.request(frame);
  } catch (error) {
    toast(messageOf(error), true);
  }
}

let nextToast = 1;
const TOAST_MS = 6_000;

export function toast(text: string, bad = false): void {
  const id = nextToast++;
  toasts.value = [...toasts.value.slice(-4), { id, text, bad }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((one) => one.id !== id);
  }, TOAST_MS);
}

/** Shows a process (or the overview with "") and makes the address a link to it. */
export function select(name: string): void {
  if (selected.value === name) return;
  selected.value = name;
  const url = new URL(location.href);
  if (name === "") url.searchParams.delete("process");
  else url.searchParams.set("process", name);
  history.pushState(null, "", url);
}

addEventListener("popstate", () => {
  selected.value = new URLSearchParams(location.search).get("process") ?? "";
});
