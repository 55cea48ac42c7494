import type { Clock } from "../../../base/timing/clock.ts";

/** Minimum interval between upserts of one resource that change only counters, milliseconds. */
const COUNT_MS = 500;

interface UpsertPublisherOptions<Resource> {
  readonly clock: Clock;
  /** Returns the present resource; null: there is none. */
  readonly resource: (name: string) => Resource | null;
  /** Whether a command is under way, whose answer comes first: its end publishes. */
  readonly isHeld?: (name: string) => boolean;
  /** Whether clients must be notified at once; other changes are counters. */
  readonly isUrgent: (before: Resource, after: Resource) => boolean;
  readonly upsert: (resource: Resource) => void;
  readonly remove: (name: string) => void;
}

/** Publishes changes of resources: changes of state at once, counters at most twice a second. */
export class UpsertPublisher<Resource> {
  readonly #options: UpsertPublisherOptions<Resource>;
  readonly #published = new Map<string, { resource: Resource; at: number }>();
  readonly #waiting = new Map<string, unknown>();

  constructor(options: UpsertPublisherOptions<Resource>) {
    this.#options = options;
  }

  /** Names of the resources that clients know. */
  names(): Iterable<string> {
    return this.#published.keys();
  }

  /** Publishes the resource if it has changed. */
  publish(name: string): void {
    const { clock, isHeld, isUrgent, upsert, remove } = this.#options;
    if (isHeld?.(name)) return;
    const resource = this.#options.resource(name);
    const published = this.#published.get(name);
    if (resource === null) {
      if (this.#published.delete(name)) remove(name);
      return;
    }
    const now = clock.monotonic();
    if (published !== undefined && !isUrgent(published.resource, resource) && now - published.at < COUNT_MS) {
      this.publishLater(name);
      return;
    }
    if (published !== undefined && JSON.stringify(published.resource) === JSON.stringify(resource)) return;
    this.#published.set(name, { resource, at: now });
    upsert(resource);
  }

  /** Publishes the resource later, for changes that are not urgent. */
  publishLater(name: string): void {
    if (this.#waiting.has(name)) return;
    const late = () => {
      this.#waiting.delete(name);
      this.publish(name);
    };
    this.#waiting.set(name, this.#options.clock.setTimeout(late, COUNT_MS));
  }

  close(): void {
    for (const timer of this.#waiting.values()) this.#options.clock.clearTimeout(timer);
    this.#waiting.clear();
  }
}
