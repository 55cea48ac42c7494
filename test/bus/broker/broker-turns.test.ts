import { expect, it } from "vitest";
import { BrokerTurns, type Budget, type Worker } from "../../../src/bus/broker/broker-turns.ts";

/** Uses up a turn of the event loop each time it works or flushes. */
function busy(note: () => void): void {
  note();
  for (const begin = performance.now(); performance.now() - begin < 5; );
}

class Heavy implements Worker {
  readonly isHeavy = true;
  readonly #note: () => void;
  constructor(note: () => void) {
    this.#note = note;
  }
  work(_budget: Budget): boolean {
    busy(this.#note);
    return false;
  }
  flush(): void {
    busy(this.#note);
  }
}

it("a worker with little to do waits for one of a hundred others at most", async () => {
  const turns = new BrokerTurns();
  let served = 0;
  const heavy = Array.from({ length: 100 }, () => new Heavy(() => served++));
  for (const worker of heavy) {
    turns.add(worker);
    turns.flushSoon(worker);
  }
  for (let round = 0; round < 5; round++) {
    const before = served;
    await new Promise<void>((resolve) => {
      const light: Worker = {
        isHeavy: false,
        work: () => {
          turns.flushSoon(light);
          return true;
        },
        flush: resolve,
      };
      turns.add(light);
    });
    // At most one each that flushes and works, in the turn that was under way and in the next one.
    expect(served - before).toBeLessThanOrEqual(4);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(served).toBeGreaterThan(5);
  for (const worker of heavy) turns.remove(worker);
});
