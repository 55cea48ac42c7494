import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import { MgrError, messageOf } from "../../../src/base/errors.ts";
import { isWithin } from "../../../src/base/text/names.ts";
import { browserLink } from "../../../src/client/browser.ts";
import type { WebSocketLike } from "../../../src/client/link/websocket-link.ts";
import { ManagerConnection } from "../../../src/client/manager-connection.ts";
import { type ShownState, shownState } from "../../../src/client/shown/shown-state.ts";
import type { ClientFrame, ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { HostEntry, ManagerInfo, Process, ProcessTreeNode, Snapshot, StartTool } from "../../../src/protocol/resources/resources.ts";
import { early, FIRST_REQUEST, socketAddress } from "../early/first-socket.ts";
import { isConnected } from "../ui/connected.ts";
import { complain } from "../ui/toasts.ts";
import { takeAccess } from "./access.ts";
import { reloadIfStale } from "./asset-hash.ts";
import { drawnWithNextFrame } from "./painting.ts";
import { socketQuery } from "./views.ts";

export type Connection =
  | { kind: "connecting" | "open" }
  | {
      kind: "lost";
      reason: string;
      retryAt: number;
      /** Whether the manager was shut down with its processes, rather than disconnected or crashed. */
      isShutDown: boolean;
    };

/** The client's mirror as signals, for components. A signal per process, so that a change repaints one row. */
export const connection = signal<Connection>({ kind: "connecting" });
effect(() => {
  isConnected.value = connection.value.kind !== "lost";
});
export const instance = signal<ManagerInfo>({ name: "", host: "", save_problem: null });
export const tree = signal<readonly ProcessTreeNode[]>([]);
export const processNames = signal<string[]>([]);
export const hosts = signal<HostEntry[]>([]);
export const startTools = signal<readonly StartTool[]>([]);
/** Whether the first snapshot has arrived. */
export const isLoaded = signal(false);

const processes = new Map<string, Signal<Process>>();

/** The process of a name. Readers are notified when it appears or vanishes. */
export function processOf(name: string): Process | undefined {
  void processNames.value;
  return processes.get(name)?.value;
}

export function hasProcess(name: string): boolean {
  return processes.has(name);
}

/** Counts changes of processes: readers of all of them depend on this signal instead of ten thousand. */
const changes = signal(0);
const everyProcess = computed(() => {
  void changes.value;
  return processNames.value.flatMap((name) => processes.get(name)?.peek() ?? []);
});

export const allProcesses = (): readonly Process[] => everyProcess.value;

/** Number of processes in each state, as shown. */
export const counts = computed(() => {
  const found = new Map<ShownState, number>();
  for (const process of allProcesses()) {
    const state = shownState(process);
    found.set(state, (found.get(state) ?? 0) + 1);
  }
  return found;
});

const address = `${socketAddress()}${socketQuery(location)}`;
const link = browserLink(address, {
  open: () => {
    const socket = early.mgrFirstSocket?.take() ?? (new WebSocket(address) as unknown as WebSocketLike);
    delete early.mgrFirstSocket;
    return socket;
  },
});

class PageClient extends ManagerConnection {
  #isFirst = true;

  /** The first one was requested while the page was loaded: FirstSocket leaves out the same frame. */
  override snapshot(): Promise<Snapshot> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    return isFirst ? this.request(FIRST_REQUEST) : super.snapshot();
  }
}

export const client = new PageClient(link);
/** All frames that the manager sends. */
export const { frames$ } = link;
const { mirror } = client;

mirror.changes$.subscribe((name) => drawnWithNextFrame(() => batch(() => (name === null ? copyAll() : copyProcess(name)))));
link.state$.subscribe((state) => {
  if (state.kind === "open") void resync();
  else if (state.kind === "waiting") lose(state.reason, Date.now() + state.retry_ms);
  else if (state.kind === "closed") lose(state.reason);
});

// Browsers keep a page that the user has left, with its connection, and its terminals would continue to hold their sizes.
addEventListener("pagehide", ({ persisted }) => {
  if (persisted) link.close("left by the user");
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});

/** After each (re)connection the mirror loads a new snapshot, which replaces everything known. */
async function resync(): Promise<void> {
  try {
    await mirror.current();
    if (mirror.assetHash !== null && reloadIfStale(mirror.assetHash)) return;
    // With the snapshot, in the task of the next frame: drawing it at once would lengthen the task that has parsed it.
    drawnWithNextFrame(() => {
      connection.value = { kind: "open" };
    });
  } catch (error) {
    lose(messageOf(error));
  }
}

function lose(reason: string, retryAt = 0): void {
  const before = connection.peek();
  // Later attempts report only that the manager does not answer.
  const isShutDown = /shutting down/.test(reason) || (before.kind === "lost" && before.isShutDown);
  connection.value = { kind: "lost", reason, retryAt, isShutDown };
}

/** Copies the differences from the mirror: after a new snapshot, or a change of anything but a process. */
function copyAll(): void {
  if (mirror.manager === null) return;
  // Nothing is shown or requested before it is known what the user may do.
  if (!takeAccess(mirror.access, membersOfName, () => batch(copyAll))) return;
  instance.value = mirror.manager;
  tree.value = mirror.tree;
  hosts.value = mirror.hosts();
  startTools.value = mirror.startTools;
  for (const name of processes.keys()) if (!mirror.process(name)) processes.delete(name);
  for (const process of mirror.processes()) {
    if (process !== processes.get(process.name)?.peek()) upsert(process);
  }
  if (processes.size !== processNames.value.length || processNames.value.some((name) => !processes.has(name)))
    processNames.value = [...processes.keys()];
  isLoaded.value = true;
}

/** The process of this name, or the processes of the group. */
function membersOfName(name: string): readonly string[] {
  const within = processNames.value.filter((each) => isWithin(each, name));
  return within.length === 0 ? [name] : within;
}

function copyProcess(name: string): void {
  const process = mirror.process(name);
  if (!isLoaded.value) return;
  if (process) upsert(process);
  else processes.delete(name);
  if (processes.size !== processNames.value.length) processNames.value = [...processes.keys()];
}

function upsert(process: Process): void {
  changes.value = changes.peek() + 1;
  const known = processes.get(process.name);
  if (known) known.value = process;
  else processes.set(process.name, signal(process));
}

/** Connects at once instead of waiting for the next attempt. */
export function connectNow(): void {
  const state = connection.peek();
  // The link is open or closed for good.
  if (state.kind === "lost" && state.retryAt === 0) location.reload();
  else link.retryNow();
}

/** The shell lines that would start a process by hand; null if they are not available. */
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

/** Sends a request and resolves with the answer, even if it has `ok: false`: its other fields describe the problem. */
export async function ask<T extends ManagerFrame["type"]>(frame: ClientFrame, type: T): Promise<Extract<ManagerFrame, { type: T }>> {
  return client.request(frame).catch((error: unknown) => {
    const answer = error instanceof MgrError ? (error.details as ManagerFrame | null) : null;
    if (answer?.type !== type) throw error;
    return answer;
  }) as Promise<Extract<ManagerFrame, { type: T }>>;
}
