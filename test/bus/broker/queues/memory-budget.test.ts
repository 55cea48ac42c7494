import { expect, it } from "vitest";
import { MemoryBudget, type MemoryHolder } from "../../../../src/bus/broker/queues/memory-budget.ts";

const MIB = 1024 * 1024;

/** Holds pieces of 1 KiB. */
class Holder implements MemoryHolder {
  readonly owner: string;
  bytes = 0;
  readonly #budget: MemoryBudget;

  constructor(owner: string, budget: MemoryBudget) {
    this.owner = owner;
    this.#budget = budget;
    budget.add(this);
  }

  grow(pieces: number): void {
    this.bytes += pieces * 1_024;
    this.#budget.grow(pieces * 1_024);
  }

  free(): boolean {
    if (this.bytes === 0) return false;
    this.grow(-1);
    return true;
  }
}

it("the owner that uses most loses first, however many parts it has; the others keep what they have", () => {
  const warnings: string[] = [];
  const budget = new MemoryBudget((_level, msg) => warnings.push(msg), 10 * MIB);
  const honest = new Holder("logger 'arm'", budget);
  honest.grow(4 * 1_024);
  const greedy = Array.from({ length: 100 }, () => new Holder("process 'flood'", budget));
  for (let round = 0; round < 200; round++) for (const one of greedy) one.grow(1);
  expect(honest.bytes).toBe(4 * MIB);
  expect(budget.used).toBeLessThanOrEqual(10 * MIB);
  expect(greedy.reduce((sum, { bytes }) => sum + bytes, honest.bytes)).toBe(budget.used);
  expect(budget.losses).toEqual([{ owner: "process 'flood'", pieces: 100 * 200 - (budget.used - 4 * MIB) / 1_024 }]);
  expect(warnings[0]).toMatch(/the memory for messages \(10 MiB\) is used up: process 'flood' uses most and loses its oldest/);
});

it("a lower limit takes effect at once, and what cannot be freed does not stop the rest", () => {
  const budget = new MemoryBudget(() => {}, 10 * MIB);
  const stuck = new Holder("stuck", budget);
  stuck.free = () => false;
  stuck.grow(3 * 1_024);
  const other = new Holder("other", budget);
  other.grow(2 * 1_024);
  budget.limit = 4 * MIB;
  expect(stuck.bytes).toBe(3 * MIB);
  expect(budget.used).toBeLessThanOrEqual(4 * MIB);
  expect(other.bytes).toBeGreaterThan(0);
});
