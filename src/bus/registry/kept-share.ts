import type { MemoryBudget, MemoryHolder } from "../broker/queues/memory-budget.ts";

/** A topic with a kept message. */
interface KeptTopic {
  /** Drops the kept message: memory is used up. */
  loseLast(): void;
}

/** The kept messages of one client's topics, as a part of the broker's memory. */
export class KeptShare implements MemoryHolder {
  readonly owner: string;
  bytes = 0;
  readonly #memory: MemoryBudget;
  /** Topics with a kept message, the one published longest ago first. */
  readonly #entries = new Set<KeptTopic>();

  constructor(owner: string, memory: MemoryBudget) {
    this.owner = owner;
    this.#memory = memory;
    memory.add(this);
  }

  /** Called when the kept message of a topic was replaced, with its sizes in bytes; 0: there is, or was, none. */
  replaced(entry: KeptTopic, before: number, after: number): void {
    this.#entries.delete(entry);
    if (after > 0) this.#entries.add(entry);
    this.bytes += after - before;
    this.#memory.grow(after - before);
  }

  free(): boolean {
    const [oldest] = this.#entries;
    oldest?.loseLast();
    return oldest !== undefined;
  }

  close(): void {
    this.#memory.remove(this);
  }
}
