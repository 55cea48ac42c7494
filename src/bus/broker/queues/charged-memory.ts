import type { MemoryBudget } from "./memory-budget.ts";

/** Maximum number of bytes of a connection beside its queue that do not count as used memory. */
export const FREE_BYTES = 64 * 1024;

/** Memory of a connection beside its queue, as reported to the budget. */
export class ChargedMemory {
  bytes = 0;
  readonly #memory: MemoryBudget;

  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  /** Called with the number of bytes that are held now. */
  report(held: number): void {
    const charged = held > FREE_BYTES ? held : 0;
    if (charged === this.bytes) return;
    const before = this.bytes;
    this.bytes = charged;
    this.#memory.grow(charged - before);
  }
}
