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

it("a worker with little work waits for at most one of a hundred others", async () => {
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

it("workers with much work have their turn while others repeatedly have little work", async () => {
  const turns = new BrokerTurns();
  const receivers = Array.from({ length: 3 }, () => new Heavy(() => {}));
  for (const receiver of receivers) receiver.flush = () => turns.flushSoon(receiver);
  for (const receiver of receivers) turns.flushSoon(receiver);
  const light = Array.from({ length: 10 }, (): Worker => {
    const worker: Worker = {
      isHeavy: false,
      work: () => {
        busy(() => turns.flushSoon(worker));
        return true;
      },
      flush: () => turns.add(worker),
    };
    return worker;
  });
  for (const worker of light) turns.add(worker);
  let left = 5;
  await new Promise<void>((resolve) => {
    const publisher: Worker = {
      isHeavy: true,
      work: () => {
        if (--left === 0) resolve();
        return left === 0;
      },
      flush: () => {},
    };
    turns.add(publisher);
  });
  expect(left).toBe(0);
  for (const worker of [...receivers, ...light]) turns.remove(worker);
});
