import { EMPTY, Observable, type Subscriber, share } from "rxjs";
import type { Control } from "../actors/control.ts";
import type { DomainEvent } from "../actors/domain-events.ts";
import { ancestorNames } from "../base/names.ts";
import { encodeFrame } from "../protocol/frames/encode.ts";
import type { ManagerFrame } from "../protocol/frames/frames.ts";
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
  readonly #leave: () => void;
  #isTreePending = false;

  /** `beforeProcessFrame` sends the output that a process wrote before the change that is about to be sent. */
  constructor(control: Pick<Control, "events" | "state">, beforeProcessFrame: (name: string) => void) {
    this.#control = control;
    this.#beforeProcessFrame = beforeProcessFrame;
    this.#leave = control.events.subscribe((event) => this.#onEvent(event));
  }

  of(view: ViewMode): Observable<EncodedFrame> {
    if (view.kind === "log_only") return EMPTY;
    const name = view.kind === "full" ? undefined : view.name;
    const key = scopeKey(name);
    const stream = this.#shared.get(key) ?? this.#share(key, name);
    this.#shared.set(key, stream);
    return stream;
  }

  /** Sends now what waits for the end of the turn. */
  flush(): void {
    if (!this.#isTreePending) return;
    this.#isTreePending = false;
    for (const scope of this.#open.values()) this.#tellTree(scope);
  }

  close(): void {
    this.#leave();
    for (const { subscriber } of [...this.#open.values()]) subscriber.complete();
  }

  #share(key: string, name: string | undefined): Observable<EncodedFrame> {
    return new Observable<EncodedFrame>((subscriber) => {
      // A change from before this view is not sent to it.
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
      case "process_upsert":
        this.#beforeProcessFrame(event.process.name);
        this.#tell(scopesOf(event.process.name), event, `process:${event.process.name}`);
        break;
      case "process_remove":
        this.#beforeProcessFrame(event.name);
        this.#tell(scopesOf(event.name), event, null);
        break;
      case "host_upsert":
        this.#tell([scopeKey(undefined)], event, `host:${event.host.name}`);
        break;
      case "host_remove":
      case "client_remove":
      case "topic_remove":
      case "service_remove":
      case "recording_remove":
      case "logger_remove":
        this.#tell([scopeKey(undefined)], event, null);
        break;
      case "client_upsert":
        this.#tell([scopeKey(undefined)], event, `client:${event.client.id}`);
        break;
      case "topic_upsert":
        this.#tell([scopeKey(undefined)], event, `topic:${event.topic.name}`);
        break;
      case "service_upsert":
        this.#tell([scopeKey(undefined)], event, `service:${event.service.name}`);
        break;
      case "recording_upsert":
        this.#tell([scopeKey(undefined)], event, `recording:${event.recording.name}`);
        break;
      case "logger_upsert":
        this.#tell([scopeKey(undefined)], event, `logger:${event.logger.name}`);
        break;
      case "manager_upsert":
        this.#tell([scopeKey(undefined)], event, "manager");
        break;
      case "tree_changed":
        this.#treeChanged();
        break;
    }
  }

  #tell(keys: string[], frame: ManagerFrame, mergeKey: string | null): void {
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

  #tellTree(scope: Scope): void {
    const tree = this.#control.state.processTree(scope.name);
    const shape = treeShape(tree);
    if (shape === scope.shape) return;
    scope.shape = shape;
    scope.subscriber.next(encode({ type: "process_tree", process_tree: tree }, "process_tree"));
  }
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

/** The tree without what can change while its shape does not. */
function treeShape(tree: ProcessTreeNode[]): string {
  return JSON.stringify(tree, (key, value: unknown) => (key === "state" ? undefined : value));
}
