import type { HostEntry, ManagerInfo, Process } from "../protocol/resources/resources.ts";

/** What changed in the manager's world, already projected to resources. The event streams turn these into frames. */
export type DomainEvent =
  | { type: "process_upsert"; process: Process }
  | { type: "process_remove"; name: string }
  /** Something happened to a process that its resource does not show; dependencies and waits may look at it. */
  | { type: "process_step"; name: string }
  /** The shape of the tree changed: processes or groups appeared or went. */
  | { type: "tree_changed" }
  | { type: "host_upsert"; host: HostEntry }
  | { type: "host_remove"; name: string }
  | { type: "manager_upsert"; manager: ManagerInfo };

export type DomainListener = (event: DomainEvent) => void;

/**
 * First in, first out: what a listener publishes while an event is being delivered is delivered after it
 * (RxJS alone would reverse re-entrant order). A throwing listener is reported and does not stop the others.
 */
export class DomainEvents {
  readonly #listeners = new Set<DomainListener>();
  readonly #queue: DomainEvent[] = [];
  readonly #onError: (error: unknown) => void;
  #draining = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  publish(event: DomainEvent): void {
    this.#queue.push(event);
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#deliver(next);
    } finally {
      this.#draining = false;
    }
  }

  subscribe(listener: DomainListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #deliver(event: DomainEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
