import { describe, expect, it } from "vitest";
import { SlicedWork, type Steps, TurnShare } from "../../../src/base/timing/turns.ts";

const PER_TURN = 32;

/** Numbers of the event loop's turns in which something happened. */
class Turns {
  readonly counts: number[] = [];
  #turn = 0;
  #isOver = false;

  constructor() {
    const next = () => {
      this.#turn++;
      if (!this.#isOver) setImmediate(next);
    };
    setImmediate(next);
  }

  note(times = 1): void {
    this.counts[this.#turn] = (this.counts[this.#turn] ?? 0) + times;
  }

  get most(): number {
    return Math.max(...this.counts.filter((count) => count !== undefined));
  }

  end(): void {
    this.#isOver = true;
  }
}

function* steps(names: string[], tell: (name: string) => void, batch = 1): Steps {
  for (let at = 0; at < names.length; at += batch) {
    for (const name of names.slice(at, at + batch)) tell(name);
    yield Math.min(batch, names.length - at);
  }
}
const names = (count: number, prefix = "p") => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe("a job", () => {
  it("of a few units runs within the call", () => {
    const received: string[] = [];
    expect(new SlicedWork({ units: PER_TURN }).run(steps(names(PER_TURN - 1), (name) => received.push(name)))).toBeUndefined();
    expect(received).toEqual(names(PER_TURN - 1));
  });

  it("of 10,000 units does some in each turn, in order, and other work runs in between", async () => {
    const turns = new Turns();
    const received: string[] = [];
    await new SlicedWork({ units: PER_TURN }).run(
      steps(names(10_000), (name) => {
        received.push(name);
        turns.note();
      }),
    );
    turns.end();
    expect(received).toEqual(names(10_000));
    // A turn of ours may hold the end of one of theirs and the beginning of the next.
    expect(turns.most).toBeLessThanOrEqual(2 * PER_TURN);
  });

  it("waits for the one before, and sees its results", async () => {
    const queue = new SlicedWork({ units: PER_TURN });
    const received: string[] = [];
    const first = queue.run(steps(names(100, "a"), (name) => received.push(name)));
    const second = queue.run(steps(names(2, "b"), (name) => received.push(name)));
    expect(received).toHaveLength(PER_TURN);
    await Promise.all([first, second]);
    expect(received).toEqual([...names(100, "a"), ...names(2, "b")]);
  });

  it("that throws rejects at once, or when its turn comes; later jobs run", async () => {
    const refuse = function* (): Steps {
      yield 0;
      throw new Error("no");
    };
    const queue = new SlicedWork({ units: PER_TURN });
    expect(() => queue.run(refuse())).toThrow("no");
    const received: string[] = [];
    const long = queue.run(steps(names(100), (name) => received.push(name)));
    const refused = queue.run(refuse());
    const last = queue.run(steps(["last"], (name) => received.push(name)));
    await expect(refused).rejects.toThrow("no");
    await Promise.all([long, last]);
    expect(received.at(-1)).toBe("last");
  });

  it("does not cut a step, and drops the rest when it is closed", async () => {
    const queue = new SlicedWork({ units: PER_TURN });
    const received: string[] = [];
    const under = queue.run(steps(names(300), (name) => received.push(name), 100));
    expect(received).toHaveLength(100);
    queue.close();
    await under;
    await new Promise((resolve) => setImmediate(resolve));
    expect(received).toHaveLength(100);
  });
});

describe("a share of each turn", () => {
  it("passes its units in a turn, in order of arrival, although all came at the same time", async () => {
    const turns = new Turns();
    const share = new TurnShare({ units: 10 });
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 95 }, async (_, index) => {
        await share.pass();
        order.push(index);
        turns.note();
      }),
    );
    turns.end();
    expect(order).toEqual(Array.from({ length: 95 }, (_, index) => index));
    expect(turns.most).toBeLessThanOrEqual(20);
    expect(turns.counts.filter((count) => count > 0).length).toBeGreaterThanOrEqual(5);
  });
});

it("a job with a limit of time ends its slice by the clock, and renews it in the next turn", async () => {
  let now = 0;
  const work = new SlicedWork({ ms: 5, clock: { monotonic: () => now } });
  let done = 0;
  const running = work.run(
    (function* (): Steps {
      for (; done < 10; done++) {
        now += 2;
        yield;
      }
    })(),
  );
  expect(done).toBe(2);
  await running;
  expect(done).toBe(10);
});
