import type { Clock } from "../../../base/clock.ts";

/** Upserts of one resource that only count, milliseconds. */
const COUNT_MS = 500;

interface UpsertPublisherOptions<Resource> {
  readonly clock: Clock;
  /** As it is now; null: there is none. */
  readonly resource: (name: string) => Resource | null;
  /** A command is under way, whose answer comes first: its end publishes. */
  readonly isHeld?: (name: string) => boolean;
  /** What clients have to know at once; other changes are counters. */
  readonly isUrgent: (before: Resource, after: Resource) => boolean;
  readonly upsert: (resource: Resource) => void;
  readonly remove: (name: string) => void;
}

/** Tells what changed of resources: changes of state at once, counters at most twice a second. */
export class UpsertPublisher<Resource> {
  readonly #options: UpsertPublisherOptions<Resource>;
  readonly #told = new Map<string, { resource: Resource; at: number }>();
  readonly #waiting = new Map<string, unknown>();

  constructor(options: UpsertPublisherOptions<Resource>) {
    this.#options = options;
  }

  /** Names of the resources that clients know. */
  names(): Iterable<string> {
    return this.#told.keys();
  }

  /** The resource may have changed. */
  publish(name: string): void {
    const { clock, isHeld, isUrgent, upsert, remove } = this.#options;
    if (isHeld?.(name)) return;
    const resource = this.#options.resource(name);
    const told = this.#told.get(name);
    if (resource === null) {
      if (this.#told.delete(name)) remove(name);
      return;
    }
    const now = clock.monotonic();
    if (told !== undefined && !isUrgent(told.resource, resource) && now - told.at < COUNT_MS) {
      this.publishLater(name);
      return;
    }
    if (told !== undefined && JSON.stringify(told.resource) === JSON.stringify(resource)) return;
    this.#told.set(name, { resource, at: now });
    upsert(resource);
  }

  /** For changes that need not be told at once, and are not even looked at before. */
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
