import { batch, computed, type Signal, signal } from "@preact/signals";
import { MgrError, messageOf } from "../../../src/base/errors.ts";
import { browserLink } from "../../../src/client/browser.ts";
import { ManagerClient } from "../../../src/client/manager-client.ts";
import type { ClientFrame, ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type {
  HostEntry,
  ManagerInfo,
  Process,
  ProcessState,
  ProcessTreeNode,
  Snapshot,
  StartTool,
} from "../../../src/protocol/resources/resources.ts";
import { loadNewest } from "../log/log-history.ts";
import { storeEntries } from "../log/log-store.ts";
import { complain } from "../ui/toasts.ts";
import { reloadIfStale } from "./asset-hash.ts";
import { drawnWithNextFrame } from "./painting.ts";
import { socketQuery } from "./views.ts";

export type Connection = { kind: "connecting" | "open" } | { kind: "lost"; reason: string; retryAt: number };

/** What the page knows: fed by frames, read by components. A signal per process, so that a change repaints one row. */
export const connection = signal<Connection>({ kind: "connecting" });
export const instance = signal<ManagerInfo>({ name: "", host: "", save_problem: null });
export const tree = signal<ProcessTreeNode[]>([]);
export const processNames = signal<string[]>([]);
export const hosts = signal<HostEntry[]>([]);
export const startTools = signal<StartTool[]>([]);
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

/** A window with one process or group is told of nothing else, not of the log either. */
const hasLog = !/single_/.test(socketQuery(location));
const address = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws${socketQuery(location)}`;
const link = browserLink(address);
export const client = new ManagerClient(link);

link.state$.subscribe((state) => {
  if (state.kind === "open") void resync();
  else if (state.kind === "waiting") connection.value = { kind: "lost", reason: state.reason, retryAt: Date.now() + state.retry_ms };
  else if (state.kind === "closed") connection.value = { kind: "lost", reason: state.reason, retryAt: 0 };
});
link.frames$.subscribe((frame) => drawnWithNextFrame(() => receive(frame)));

/** After each (re)connection the whole truth is asked for; what came before is replaced. */
async function resync(): Promise<void> {
  try {
    applySnapshot(await client.snapshot());
    if (hasLog) loadNewest(client);
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
    case "manager_upsert":
      instance.value = frame.manager;
      break;
    case "host_remove":
      hosts.value = hosts.value.filter(({ name }) => name !== frame.name);
      break;
    case "log_batch":
      storeEntries(frame.entries);
      break;
  }
}

/** In its place: the list keeps its order. */
function withHost(host: HostEntry): HostEntry[] {
  const isKnown = hosts.value.some(({ name }) => name === host.name);
  return isKnown ? hosts.value.map((each) => (each.name === host.name ? host : each)) : [...hosts.value, host];
}

/** The shell lines that would start a process by hand; null when they cannot be told. */
export async function startupCommands(name: string): Promise<string | null> {
  const answer = await client.request({ type: "dump_startup_commands", name });
  return answer.type === "process_startup_commands" && answer.ok ? answer.commands.join("\n") : null;
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
