import type { HookedClient } from "../broker/broker-hooks.ts";

/** Number of rows of a table by the program whose connections have them. Clients without a program are not counted: they are part of mgr. */
export class ProgramCounts {
  readonly #counts = new Map<string, number>();

  of({ program }: HookedClient): number {
    return typeof program === "string" ? (this.#counts.get(program) ?? 0) : 0;
  }

  add({ program }: HookedClient, delta: number): void {
    if (typeof program !== "string") return;
    const count = (this.#counts.get(program) ?? 0) + delta;
    if (count === 0) this.#counts.delete(program);
    else this.#counts.set(program, count);
  }
}
