import { messageOf } from "../../base/errors.ts";
import { Publisher } from "../../base/publisher.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import type { RegistryChange } from "../../contract/registry.ts";

/** Changes are collected for this long, so that a client that subscribes to a hundred topics is one message, milliseconds. */
const COLLECT_MS = 20;
/** Removed rows are reported before new ones, and clients before their topics and services. */
const ORDER: readonly RegistryChange["kind"][] = ["topic_gone", "service_gone", "client_gone", "client", "topic", "service", "counters"];

/** Collects changes of a broker's tables. Only the newest state of each row is reported. */
export class ChangeCollector {
  readonly #publisher: Publisher<readonly RegistryChange[]>;
  #pending = new Map<string, () => RegistryChange>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(log: WarningLog) {
    this.#publisher = new Publisher((error) => log("error", `a defect in a reader of the table of clients: ${messageOf(error)}`));
  }

  /** Returns a function that unsubscribes. */
  listen(listener: (changes: readonly RegistryChange[]) => void): () => void {
    return this.#publisher.subscribe(listener);
  }

  /** `key` identifies the row. */
  note(key: string, make: () => RegistryChange): void {
    this.#pending.set(key, make);
    this.#timer ??= setTimeout(() => this.flush(), COLLECT_MS).unref();
  }

  has(key: string): boolean {
    return this.#pending.has(key);
  }

  drop(key: string): void {
    this.#pending.delete(key);
  }

  flush(): void {
    this.close();
    if (this.#pending.size === 0) return;
    const changes = [...this.#pending.values()].map((make) => make());
    changes.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
    this.#pending = new Map();
    this.#publisher.publish(changes);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
