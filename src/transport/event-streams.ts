import { EMPTY, Observable, type Subscriber, share } from "rxjs";
import type { Control } from "../actors/control.ts";
import type { DomainEvent } from "../actors/domain-events.ts";
import { ancestorNames } from "../base/names.ts";
import { encodeFrame } from "../protocol/frames/encode.ts";
import { type ChangeFrame, MANAGER_FRAMES, type ManagerFrame } from "../protocol/frames/frames.ts";
import type { ProcessTreeNode } from "../protocol/resources/resources.ts";
import type { EncodedFrame } from "./outbox.ts";
import type { ViewMode } from "./view.ts";

/** The events of one view: an open stream, and the last tree that was sent. */
interface Scope {
  readonly subscriber: Subscriber<EncodedFrame>;
  /** Name of the process or group, undefined for everything. */
  readonly name: string | undefined;
  shape: string;
}

/**
 * Domain events as encoded frames: one stream for each view in use, shared by its connections, and each frame encoded once for all of them.
 * Events find their streams by key, whatever the number of connections.
 */
export class EventStreams {
  readonly #control: Pick<Control, "events" | "state">;
  readonly #beforeProcessFrame: (name: string) => void;
  readonly #open = new Map<string, Scope>();
  readonly #shared = new Map<string, Observable<EncodedFrame>>();
  readonly #unsubscribe: () => void;
  #isTreePending = false;

  /** `beforeProcessFrame` sends the output that a process wrote before the change that is about to be sent. */
  constructor(control: Pick<Control, "events" | "state">, beforeProcessFrame: (name: string) => void) {
    this.#control = control;
    this.#beforeProcessFrame = beforeProcessFrame;
    this.#unsubscribe = control.events.subscribe((event) => this.#onEvent(event));
  }

  of(view: ViewMode): Observable<EncodedFrame> {
    if (view.kind === "log_only") return EMPTY;
    const name = view.kind === "full" ? undefined : view.name;
    const key = scopeKey(name);
    const stream = this.#shared.get(key) ?? this.#share(key, name);
    this.#shared.set(key, stream);
    return stream;
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

  #share(key: string, name: string | undefined): Observable<EncodedFrame> {
    return new Observable<EncodedFrame>((subscriber) => {
      // An earlier change is not sent to the new view.
      this.flush();
      this.#open.set(key, { subscriber, name, shape: treeShape(this.#control.state.processTree(name)) });
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
        this.#changed(event.process.name, event);
        return;
      case "process_remove":
        this.#changed(event.name, event);
        return;
      default:
        this.#send(scopesOfChange(event), event, mergeKeyOf(event));
    }
  }

  #changed(name: string, event: ChangeFrame): void {
    this.#beforeProcessFrame(name);
    this.#send(scopesOf(name), event, mergeKeyOf(event));
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
    const tree = this.#control.state.processTree(scope.name);
    const shape = treeShape(tree);
    if (shape === scope.shape) return;
    scope.shape = shape;
    scope.subscriber.next(encode({ type: "process_tree", process_tree: tree }, "process_tree"));
  }
}

/** See `ChangeSpec`. */
function mergeKeyOf(frame: ChangeFrame): string | null {
  // The table pairs each type with its own frame, which TypeScript cannot follow through an index.
  const { mergeKey } = MANAGER_FRAMES[frame.type] as { mergeKey: ((frame: ChangeFrame) => string) | null };
  return mergeKey?.(frame) ?? null;
}

/** See `ChangeSpec`. */
function scopesOfChange(frame: ChangeFrame): string[] {
  const { processOf } = MANAGER_FRAMES[frame.type] as { processOf: ((frame: ChangeFrame) => string) | null };
  return processOf === null ? [scopeKey(undefined)] : scopesOf(processOf(frame));
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

/** The tree without its states, which change while its shape does not. */
function treeShape(tree: ProcessTreeNode[]): string {
  return JSON.stringify(tree, (key, value: unknown) => (key === "state" ? undefined : value));
}
