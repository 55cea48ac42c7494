import { type Observable, Subject } from "rxjs";
import { isWithin } from "../base/text/names.ts";
import type { ManagerFrame } from "../protocol/frames/frames.ts";
import type { VncSession } from "../protocol/resources/display.ts";
import {
  type GroupNode,
  groupState,
  type HostEntry,
  type ManagerInfo,
  type Process,
  type ProcessState,
  type ProcessTreeNode,
  type Snapshot,
  type StartTool,
  stateInGroup,
} from "../protocol/resources/resources.ts";
import type { ManagerLink } from "./link/manager-link.ts";

interface MirrorOptions {
  readonly link: ManagerLink;
  readonly snapshot: () => Promise<Snapshot>;
}

/**
 * The manager's state as received on this connection: a snapshot at the first request and after each reconnect, then the events. Reads show
 * the newest frame. Events are ignored until `current` is called for the first time.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #changes = new Subject<string | null>();
  readonly #processes = new Map<string, Process>();
  readonly #hosts = new Map<string, HostEntry>();
  #tree: readonly ProcessTreeNode[] = [];
  #manager: ManagerInfo | null = null;
  #startTools: readonly StartTool[] = [];
  #access: Snapshot["access"] | null = null;
  #vncSessions: readonly VncSession[] = [];
  #assetHash: string | null = null;
  #isFollowing = false;
  #isFilled = false;
  #asking: Promise<void> | null = null;

  /** `link` must outlive the mirror. */
  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** The name of each process that changed or was removed, null for anything else (such as a snapshot). Ends with the connection. */
  get changes$(): Observable<string | null> {
    return this.#changes;
  }

  /**
   * Resolves when the mirror is at least as new as this call. All calls of a turn share one request. Rejects with `host_unavailable` while
   * the link is not open.
   */
  current(): Promise<void> {
    this.#follow();
    this.#asking ??= Promise.resolve().then(() => {
      this.#asking = null;
      return this.#fill();
    });
    return this.#asking;
  }

  /** Resolves after the first snapshot on this connection; from then on the mirror is complete. */
  known(): Promise<void> {
    return this.#isFilled ? Promise.resolve() : this.current();
  }

  /** The manager's own entry; null before the first snapshot. */
  get manager(): ManagerInfo | null {
    return this.#manager;
  }

  get startTools(): readonly StartTool[] {
    return this.#startTools;
  }

  /** The roles of this connection's user, as of the newest snapshot; null: everything is allowed, as far as is known. */
  get access(): NonNullable<Snapshot["access"]> | null {
    return this.#access ?? null;
  }

  /** VNC servers that the user may see, as of the newest snapshot. */
  get vncSessions(): readonly VncSession[] {
    return this.#vncSessions;
  }

  /** Hash of the page that the manager serves, as of the newest snapshot; null before it. */
  get assetHash(): string | null {
    return this.#assetHash;
  }

  /** Groups and processes in the order of the configuration. States of groups are those of the time when this frame was sent. */
  get tree(): readonly ProcessTreeNode[] {
    return this.#tree;
  }

  process(name: string): Process | undefined {
    return this.#processes.get(name);
  }

  processes(): Process[] {
    return [...this.#processes.values()];
  }

  /** `state` is derived from its members: the tree frame only has the tree's shape. */
  group(name: string): GroupNode | undefined {
    const group = findGroup(this.#tree, name);
    return group && this.#withStates(group).node;
  }

  /** The processes below a group, at all levels. */
  members(group: string): Process[] {
    return this.processes().filter((process) => isWithin(process.name, group));
  }

  hosts(): HostEntry[] {
    return [...this.#hosts.values()];
  }

  /** Returns a host by its canonical name or any alias. */
  host(name: string): HostEntry | undefined {
    return this.#hosts.get(name) ?? [...this.#hosts.values()].find((host) => host.all_names.includes(name));
  }

  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { link } = this.#options;
    link.frames$.subscribe({ next: (frame) => this.#apply(frame), complete: () => this.#changes.complete() });
    link.state$.subscribe((state) => {
      if (state.kind !== "open") this.#isFilled = false;
      // Requests made while the link was down were refused; waits are notified by `changes$`. If this fails, the link was lost again.
      else if (!this.#isFilled) this.current().catch(() => undefined);
    });
  }

  async #fill(): Promise<void> {
    // #apply has already applied the snapshot, in order with the events: this promise resolves later.
    await this.#options.snapshot();
  }

  #apply(frame: ManagerFrame): void {
    switch (frame.type) {
      case "process_upsert":
        this.#processes.set(frame.process.name, frame.process);
        this.#changes.next(frame.process.name);
        return;
      case "process_remove":
        this.#processes.delete(frame.name);
        this.#changes.next(frame.name);
        return;
      case "snapshot":
        this.#replace(frame);
        break;
      case "process_tree":
        this.#tree = frame.process_tree;
        break;
      case "manager_upsert":
        this.#manager = frame.manager;
        break;
      case "host_upsert":
        this.#hosts.set(frame.host.name, frame.host);
        break;
      case "host_remove":
        this.#hosts.delete(frame.name);
        break;
      default:
        return;
    }
    this.#changes.next(null);
  }

  #withStates(group: GroupNode): { node: GroupNode; states: Set<ProcessState> } {
    const states = new Set<ProcessState>();
    const children = group.children.map((child) => {
      if (child.type === "process") {
        const process = this.#processes.get(child.name);
        if (process) states.add(stateInGroup(process));
        return child;
      }
      const below = this.#withStates(child);
      for (const state of below.states) states.add(state);
      return below.node;
    });
    return { node: { ...group, state: groupState(states), children }, states };
  }

  #replace(snapshot: Snapshot): void {
    refill(this.#processes, snapshot.processes);
    refill(this.#hosts, snapshot.host_list);
    this.#tree = snapshot.process_tree;
    this.#manager = snapshot.manager;
    this.#startTools = snapshot.start_tools;
    this.#vncSessions = snapshot.vnc_sessions;
    this.#access = snapshot.access;
    this.#assetHash = snapshot.webui_asset_hash;
    this.#isFilled = true;
  }
}

function refill<T extends { readonly name: string }>(map: Map<string, T>, items: readonly T[]): void {
  map.clear();
  for (const item of items) map.set(item.name, item);
}

/** The group of this name, at any level. */
export function findGroup(nodes: readonly ProcessTreeNode[], name: string): GroupNode | undefined {
  for (const node of nodes) {
    if (node.type !== "group") continue;
    if (node.name === name) return node;
    const within = isWithin(name, node.name) ? findGroup(node.children, name) : undefined;
    if (within) return within;
  }
  return undefined;
}
