import type { Clock } from "../../base/clock.ts";

/** Wait between two upserts of which only the counters differ, milliseconds. */
const COUNTERS_MS = 500;

interface UpsertPublisherOptions<Resource> {
  readonly clock: Clock;
  /** The current resource of this name; null: there is none. */
  readonly resource: (name: string) => Resource | null;
  readonly upsert: (resource: Resource) => void;
  readonly remove: (name: string) => void;
}

/** Publishes resources that count: a new state or problem at once, new counters at most twice a second. */
export class UpsertPublisher<Resource extends { readonly state: string; readonly problem: string | null }> {
  readonly #options: UpsertPublisherOptions<Resource>;
  readonly #published = new Map<string, { resource: Resource; at: number }>();
  readonly #timers = new Map<string, unknown>();

  constructor(options: UpsertPublisherOptions<Resource>) {
    this.#options = options;
  }

  /** Names of the resources that clients know. */
  names(): IterableIterator<string> {
    return this.#published.keys();
  }

  publish(name: string): void {
    const { clock, upsert, remove } = this.#options;
    const resource = this.#options.resource(name);
    const last = this.#published.get(name);
    if (resource === null) {
      if (this.#published.delete(name)) remove(name);
      return;
    }
    const now = clock.monotonic();
    const isUrgent = last === undefined || last.resource.state !== resource.state || last.resource.problem !== resource.problem;
    if (!isUrgent && now - last.at < COUNTERS_MS) {
      if (!this.#timers.has(name))
        this.#timers.set(
          name,
          clock.setTimeout(() => this.#publishLate(name), COUNTERS_MS),
        );
      return;
    }
    if (last !== undefined && JSON.stringify(last.resource) === JSON.stringify(resource)) return;
    this.#published.set(name, { resource, at: now });
    upsert(resource);
  }

  close(): void {
    for (const timer of this.#timers.values()) this.#options.clock.clearTimeout(timer);
  }

  #publishLate(name: string): void {
    this.#timers.delete(name);
    this.publish(name);
  }
}
