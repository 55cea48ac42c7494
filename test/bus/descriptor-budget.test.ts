import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { ClientSockets } from "../../src/bus/broker/listeners/client-sockets.ts";
import { DescriptorBudget } from "../../src/bus/carriers/descriptor-budget.ts";

/** Enough of a socket; like a real one it is closed some time after it was destroyed. */
class FakeSocket extends EventEmitter {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
  }
}

const socket = () => new FakeSocket() as FakeSocket & Socket;

/** How many can be taken in a row. */
function taken(budget: DescriptorBudget, use: "client" | "refusal" | "local"): number {
  let count = 0;
  while (budget.acquire(socket(), use)) count++;
  return count;
}

describe("the budget of descriptors", () => {
  // Limits below what this very test has open would tell of that instead.
  test.each([
    [256, 128],
    [1_024, 128],
    [4_096, 128],
    [100, 50],
  ])("with a limit of %i keeps %i for everything but connections", (limit, reserve) => {
    const budget = new DescriptorBudget(limit);
    const all = taken(budget, "client") + taken(budget, "refusal") + taken(budget, "local");
    expect(all).toBe(limit - reserve);
  });

  test("is unlimited if the limit is", () => {
    expect(new DescriptorBudget(Number.POSITIVE_INFINITY).partOf(10_000)).toBe(10_000);
  });

  test("accepts another connection for one that has closed or was released", () => {
    const budget = new DescriptorBudget(256);
    const [closed, released] = [socket(), socket()];
    for (const one of [closed, released]) expect(budget.acquire(one, "local")).toBe(true);
    taken(budget, "local");
    closed.emit("close");
    budget.release(released);
    expect(taken(budget, "local")).toBe(2);
  });

  test("refuses connections and process starts when other files have used up the descriptors", () => {
    // This process has more than its standard files open: they reach into the last quarter of such a reserve.
    const budget = new DescriptorBudget(8);
    expect(budget.acquire(socket(), "client")).toBe(false);
    expect(budget.allowsStart(7)).toBe(false);
    expect(budget.allowsStart(2)).toBe(true);
  });
});

describe("the sockets of the bus port", () => {
  const full = () => {
    const sockets = new ClientSockets(2, new DescriptorBudget(4_096));
    const [first, second] = [socket(), socket()];
    expect([sockets.admit(first), sockets.admit(second)]).toEqual(["admitted", "admitted"]);
    return { sockets, first, second };
  };

  test("clients that have not logged in are evicted, the oldest first", () => {
    const { sockets, first, second } = full();
    expect(sockets.admit(socket())).toBe("admitted");
    expect([first.destroyed, second.destroyed]).toEqual([true, false]);
  });

  test("clients that have logged in stay, and new ones are refused with a reason", () => {
    const { sockets, first, second } = full();
    for (const one of [first, second]) sockets.keep(one);
    expect(sockets.admit(socket())).toBe("refused");
    second.emit("close");
    expect(sockets.admit(socket())).toBe("admitted");
    expect(first.destroyed).toBe(false);
  });

  test("while many refusals are under way, a further connection is cut", () => {
    const budget = new DescriptorBudget(4_096);
    const sockets = new ClientSockets(0, budget);
    taken(budget, "refusal");
    const late = socket();
    expect([sockets.admit(late), late.destroyed]).toEqual(["cut", true]);
  });
});
