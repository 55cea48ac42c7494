import { batch, computed, type Signal, signal } from "@preact/signals";
import { MgrError, messageOf } from "../../src/base/errors.ts";
import { browserLink } from "../../src/client/browser.ts";
import { ManagerClient } from "../../src/client/manager-client.ts";
import type { ClientFrame, ManagerFrame } from "../../src/protocol/frames.ts";
import type { HostEntry, LogEntry, Process, ProcessState, ProcessTreeNode, Snapshot, StartTool } from "../../src/protocol/resources.ts";
import { reloadIfStale } from "./asset-hash.ts";
import { type StateChange, stateChange } from "./changes.ts";
import { complain } from "./toasts.ts";
import { socketQuery } from "./views.ts";

/** How many log entries the page keeps. */
const LOG_KEPT = 3_000;
const LOG_HISTORY = 1_000;

export type Connection = { kind: "connecting" | "open" } | { kind: "lost"; reason: string; retryAt: number };

/** What the page knows: fed by frames, read by components. A signal per process, so that a change repaints one row. */
export const connection = signal<Connection>({ kind: "connecting" });
export const instance = signal<{ name: string; host: string }>({ name: "", host: "" });
export const tree = signal<ProcessTreeNode[]>([]);
export const processNames = signal<string[]>([]);
export const hosts = signal<HostEntry[]>([]);
export const startTools = signal<StartTool[]>([]);
export const logEntries = signal<LogEntry[]>([]);
/** Whether a first snapshot has come. */
export const isLoaded = signal(false);

const processes = new Map<string, Signal<Process>>();

/** A process; noticing when it appears or vanishes. */
export function processOf(name: string): Process | undefined {
  // Read so that an appearing or vanishing process is noticed.
  void processNames.value;
  return processes.get(name)?.value;
}

export function hasProcess(name: string): boolean {
  return processes.has(name);
}

export function allProcesses(): Process[] {
  return processNames.value.flatMap((name) => processes.get(name)?.value ?? []);
}

/** How many processes are in each state. */
export const counts = computed(() => {
  const found = new Map<ProcessState, number>();
  for (const name of processNames.value) {
    const state = processes.get(name)?.value.state;
    if (state) found.set(state, (found.get(state) ?? 0) + 1);
  }
  return found;
});

/** Names of the processes that depend on each. */
export const dependents = computed(() => {
  const found = new Map<string, string[]>();
  for (const name of processNames.value) {
    for (const needed of processes.get(name)?.value.depends_on ?? []) found.set(needed, [...(found.get(needed) ?? []), name]);
  }
  return found;
});

/** Changes of state that the log knows, oldest first. */
export const changes = computed<StateChange[]>(() => logEntries.value.flatMap((entry) => stateChange(entry) ?? []));

const address = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws${socketQuery(location)}`;
const link = browserLink(address);
export const client = new ManagerClient(link);

link.state$.subscribe((state) => {
  if (state.kind === "open") void resync();
  else if (state.kind === "waiting") connection.value = { kind: "lost", reason: state.reason, retryAt: Date.now() + state.retry_ms };
  else if (state.kind === "closed") connection.value = { kind: "lost", reason: state.reason, retryAt: 0 };
});
link.frames$.subscribe(receive);

/** After each (re)connection the whole truth is asked for; what came before is replaced. */
async function resync(): Promise<void> {
  try {
    applySnapshot(await client.snapshot());
    link.send({ type: "request_logs", level: "info", limit: LOG_HISTORY });
    connection.value = { kind: "open" };
  } catch (error) {
    connection.value = { kind: "lost", reason: messageOf(error), retryAt: 0 };
  }
}

function applySnapshot(snapshot: Snapshot): void {
  if (reloadIfStale(snapshot.webui_asset_hash)) return;
  batch(() => {
    instance.value = snapshot.manager;
    tree.value = snapshot.process_tree;
    hosts.value = snapshot.host_list;
    startTools.value = snapshot.start_tools;
    const names = new Set(snapshot.processes.map((process) => process.name));
    for (const name of processes.keys()) if (!names.has(name)) processes.delete(name);
    for (const process of snapshot.processes) upsert(process);
    processNames.value = [...processes.keys()];
    isLoaded.value = true;
  });
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
    case "host_upsert":
      hosts.value = withHost(frame.host);
      break;
    case "host_remove":
      hosts.value = hosts.value.filter(({ name }) => name !== frame.name);
      break;
    case "log_batch":
      keepEntries(frame.entries);
      break;
  }
}

/** In its place: the list keeps its order. */
function withHost(host: HostEntry): HostEntry[] {
  const isKnown = hosts.value.some(({ name }) => name === host.name);
  return isKnown ? hosts.value.map((each) => (each.name === host.name ? host : each)) : [...hosts.value, host];
}

/** Entries wait for the next picture: a start of a thousand processes brings thousands of batches. */
let fresh: LogEntry[] = [];
const ENTRIES_EVERY_MS = 50;

function keepEntries(entries: LogEntry[]): void {
  if (fresh.length === 0) {
    setTimeout(() => {
      logEntries.value = merge(logEntries.value, fresh);
      fresh = [];
    }, ENTRIES_EVERY_MS);
  }
  fresh.push(...entries);
  if (fresh.length > 2 * LOG_KEPT) fresh = fresh.slice(-LOG_KEPT);
}

/** Entries by id without repeats: history and live entries may overlap. */
function merge(old: LogEntry[], more: LogEntry[]): LogEntry[] {
  const byId = new Map([...old, ...more].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => a.id - b.id).slice(-LOG_KEPT);
}

/** Sends a command; a refusal becomes a toast. Resolves with whether it was accepted. */
export async function command(frame: ClientFrame): Promise<boolean> {
  try {
    await client.request(frame);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** Asks and resolves with the answer itself, also where it says `ok: false`: its other fields say what is wrong. */
export async function ask<T extends ManagerFrame["type"]>(frame: ClientFrame, type: T): Promise<Extract<ManagerFrame, { type: T }>> {
  return client.request(frame).catch((error: unknown) => {
    const answer = error instanceof MgrError ? (error.details as ManagerFrame | null) : null;
    if (answer?.type !== type) throw error;
    return answer;
  }) as Promise<Extract<ManagerFrame, { type: T }>>;
}
