import { EMPTY, Observable, type Subscriber, share } from "rxjs";
import type { Control } from "../actors/control.ts";
import type { DomainEvent } from "../actors/domain-events.ts";
import { ancestorNames } from "../base/text/names.ts";
import { encodeFrame } from "../protocol/frames/encode.ts";
import { type ChangeFrame, MANAGER_FRAMES, type ManagerFrame } from "../protocol/frames/frames.ts";
import type { ProcessTreeNode } from "../protocol/resources/resources.ts";
import type { EncodedFrame } from "./event-batch.ts";
import { HiddenNames } from "./hidden-names.ts";
import type { SnapshotPart } from "./snapshot-part.ts";
import { contains, type GrantedView, type ViewMode } from "./view.ts";

/** The events of one view: an open stream, and the tree of the last shape that was sent. */
interface Scope {
  readonly subscriber: Subscriber<EncodedFrame>;
  /** Name of the process or group, undefined for everything. */
  readonly name: string | undefined;
  /** Null: it shows everything of that name. */
  readonly granted: GrantedView | null;
  tree: readonly ProcessTreeNode[];
}

/** Maximum number of removed processes whose names are still kept from users who did not see them. */
const MAX_REMOVED = 10_000;

/**
 * Domain events as encoded frames: one stream for each view in use, shared by its connections, and each frame encoded once for all of them.
 * Events find their streams by key, whatever the number of connections.
 */
export class EventStreams {
  readonly #control: Pick<Control, "events" | "state">;
  readonly #beforeProcessFrame: (name: string) => void;
  readonly #parts: readonly SnapshotPart[];
  readonly #open = new Map<string, Scope>();
  readonly #shared = new Map<string, Observable<EncodedFrame>>();
  /** Names of processes that texts may contain, also of removed ones; null: no view has needed them yet. */
  #known: Set<string> | null = null;
  readonly #removed = new Set<string>();
  #hiddenNames = new WeakMap<GrantedView, HiddenNames>();
  readonly #unsubscribe: () => void;
  #isTreePending = false;

  /** `beforeProcessFrame` sends the output that a process wrote before the change that is about to be sent. */
  constructor(control: Pick<Control, "events" | "state">, beforeProcessFrame: (name: string) => void, parts: readonly SnapshotPart[] = []) {
    this.#control = control;
    this.#beforeProcessFrame = beforeProcessFrame;
    this.#parts = parts;
    this.#unsubscribe = control.events.subscribe((event) => this.#onEvent(event));
  }

  of(view: ViewMode): Observable<EncodedFrame> {
    if (view.kind === "log_only") return EMPTY;
    const within = view.kind === "granted" ? view.within : view;
    if (within.kind === "log_only") return EMPTY;
    const name = within.kind === "full" ? undefined : within.name;
    const granted = view.kind === "granted" ? view : null;
    const key = granted === null ? scopeKey(name) : JSON.stringify([scopeKey(name), granted.grants]);
    const stream = this.#shared.get(key) ?? this.#share(key, { name, granted });
    this.#shared.set(key, stream);
    return stream;
  }

  /** Removes the names of processes that the view does not show, as of now. The same object until there is another name: reading thousands takes a while. */
  hiddenNames(view: GrantedView): HiddenNames {
    const cached = this.#hiddenNames.get(view);
    if (cached !== undefined) return cached;
    this.#known ??= new Set([...this.#control.state.processes().map(({ name }) => name), ...this.#removed]);
    const made = new HiddenNames(view, this.#known);
    this.#hiddenNames.set(view, made);
    return made;
  }

  /** Sends pending changes of the tree now instead of at the end of the turn. */
  flush(): void {
    if (!this.#isTreePending) return;
    this.#isTreePending = false;
    for (const scope of this.#open.values()) this.#sendTree(scope);
  }

  close(): void {
    this.#unsubscribe();
    for (const { subscriber } of [...this.#open.values()]) subscriber.complete();
  }

  #share(key: string, view: Pick<Scope, "name" | "granted">): Observable<EncodedFrame> {
    return new Observable<EncodedFrame>((subscriber) => {
      // An earlier change is not sent to the new view.
      this.flush();
      this.#open.set(key, { subscriber, ...view, tree: this.#treeOf(view) });
      return () => {
        this.#open.delete(key);
        this.#shared.delete(key);
      };
    }).pipe(share());
  }

  #onEvent(event: DomainEvent): void {
    switch (event.type) {
      case "tree_changed":
        this.#treeChanged();
        return;
      case "process_step":
      case "process_transition":
        return;
      case "process_upsert":
        this.#appeared(event.process.name);
        this.#changed(event.process.name, event);
        return;
      case "process_remove":
        this.#remember(event.name);
        this.#changed(event.name, event);
        return;
      default:
        this.#sendChange(processOfChange(event), event);
    }
  }

  #changed(name: string, event: ChangeFrame): void {
    this.#beforeProcessFrame(name);
    this.#sendChange(name, event);
  }

  #appeared(name: string): void {
    this.#removed.delete(name);
    if (this.#known === null || this.#known.has(name)) return;
    // The names are read again when they are needed next.
    this.#known = null;
    this.#hiddenNames = new WeakMap();
  }

  #remember(removed: string): void {
    this.#removed.add(removed);
    const [oldest] = this.#removed;
    if (this.#removed.size > MAX_REMOVED && oldest !== undefined) this.#removed.delete(oldest);
  }

  /** `name`: the process that the change is about; null: none, so that features decide what those see who do not have everything in view. */
  #sendChange(name: string | null, event: ChangeFrame): void {
    const mergeKey = mergeKeyOf(event);
    this.#send(name === null ? [scopeKey(undefined)] : scopesOf(name), event, mergeKey);
    if (name === null) {
      this.#sendParts(event);
      return;
    }
    for (const { granted, subscriber } of this.#open.values()) {
      if (granted === null || !contains(granted, name)) continue;
      subscriber.next(encode(this.#withoutHidden(event, granted), mergeKey));
    }
  }

  #withoutHidden(event: ChangeFrame, view: GrantedView): ChangeFrame {
    const hidden = this.hiddenNames(view);
    if (event.type === "process_upsert") return { ...event, process: hidden.process(event.process) };
    return this.#parts.reduce<ChangeFrame>((shown, { withoutHidden }) => withoutHidden?.(shown, hidden) ?? shown, event);
  }

  #sendParts(event: ChangeFrame): void {
    for (const { granted, subscriber } of this.#open.values())
      if (granted?.within.kind === "full")
        for (const { changeFor } of this.#parts)
          for (const shown of changeFor?.(event, granted) ?? []) subscriber.next(encode(shown, mergeKeyOf(shown)));
  }

  #send(keys: string[], frame: ManagerFrame, mergeKey: string | null): void {
    let encoded: EncodedFrame | null = null;
    for (const key of keys) {
      const scope = this.#open.get(key);
      if (!scope) continue;
      encoded ??= encode(frame, mergeKey);
      scope.subscriber.next(encoded);
    }
  }

  /** A reload changes the tree many times in one turn: it is sent once, at the end. */
  #treeChanged(): void {
    if (this.#isTreePending) return;
    this.#isTreePending = true;
    queueMicrotask(() => this.flush());
  }

  #sendTree(scope: Scope): void {
    const tree = this.#treeOf(scope);
    const isKnown = haveSameShape(tree, scope.tree);
    scope.tree = tree;
    if (isKnown) return;
    scope.subscriber.next(encode({ type: "process_tree", process_tree: tree }, "process_tree"));
  }

  #treeOf({ name, granted }: Pick<Scope, "name" | "granted">): ProcessTreeNode[] {
    const { state } = this.#control;
    const tree = state.processTree(name);
    return granted === null ? tree : this.hiddenNames(granted).tree(tree, (each) => state.process(each));
  }
}

/** See `ChangeSpec`. */
function mergeKeyOf(frame: ChangeFrame): string | null {
  // The table pairs each type with its own frame, which TypeScript cannot follow through an index.
  const { mergeKey } = MANAGER_FRAMES[frame.type] as { mergeKey: ((frame: ChangeFrame) => string) | null };
  return mergeKey?.(frame) ?? null;
}

/** See `ChangeSpec`. */
function processOfChange(frame: ChangeFrame): string | null {
  const { processOf } = MANAGER_FRAMES[frame.type] as { processOf: ((frame: ChangeFrame) => string) | null };
  return processOf?.(frame) ?? null;
}

function encode(frame: ManagerFrame, mergeKey: string | null): EncodedFrame {
  return { bytes: encodeFrame(frame), mergeKey };
}

/** Names contain no NUL, so the key of everything cannot collide with a name. */
function scopeKey(name: string | undefined): string {
  return name ?? "\0";
}

/** A process and a group never have the same name: one key serves both. */
function scopesOf(name: string): string[] {
  return [scopeKey(undefined), ...ancestorNames(name), name];
}

/** Whether nothing but the states of groups differs. Most lists of members are the same object in both. */
function haveSameShape(some: readonly ProcessTreeNode[], others: readonly ProcessTreeNode[]): boolean {
  if (some === others) return true;
  return some.length === others.length && some.every((node, index) => isSameNode(node, others[index]));
}

function isSameNode(node: ProcessTreeNode, other: ProcessTreeNode | undefined): boolean {
  if (node === other) return true;
  if (node.name !== other?.name) return false;
  if (node.type === "process" || other.type === "process") return node.type === other.type;
  return node.display_name === other.display_name && node.opened === other.opened && haveSameShape(node.children, other.children);
}
