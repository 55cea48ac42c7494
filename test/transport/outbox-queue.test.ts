import fc from "fast-check";
import { expect, test } from "vitest";
import { type OutboxItem, OutboxQueue } from "../../src/transport/outbox-queue.ts";

const LONG = 64 * 1024;
const SHORT = 10;

const item = (length: number, process: string | null, mergeKey: string | null = null): OutboxItem => {
  return { bytes: Buffer.alloc(length), exempt: false, mergeKey, onSent: null, process, overtaken: 0 };
};

function taken(queue: OutboxQueue): OutboxItem[] {
  const items: OutboxItem[] = [];
  for (let next = queue.shift(); next !== null; next = queue.shift()) items.push(next);
  return items;
}

test("an echo goes ahead of a flood, behind what its own process said before, and passes no event", () => {
  const queue = new OutboxQueue();
  const flood = [item(LONG, "flood"), item(LONG, "flood"), item(LONG, "flood")] as const;
  const event = item(SHORT, null, "process db");
  const [said, echo, later] = [item(LONG, "shell"), item(SHORT, "shell"), item(SHORT, "shell")];
  for (const each of [flood[0], event, flood[1], said, flood[2], echo, later]) queue.push(each);
  expect(taken(queue)).toEqual([flood[0], event, flood[1], said, echo, later, flood[2]]);
});

test("a flood comes through, however much is short", () => {
  const queue = new OutboxQueue();
  const flood = item(LONG, "flood");
  queue.push(flood);
  let before = 0;
  for (; before < 1_000; before++) {
    queue.push(item(SHORT, `shell ${before}`));
    if (queue.shift() === flood) break;
  }
  expect(before).toBeLessThan(100);
});

test("nothing is lost, each process and all events keep their order", () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ process: fc.constantFrom("a", "b", "c", null), isLong: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ merge: fc.constantFrom("x", "y") }) },
    { weight: 2, arbitrary: fc.constant("take" as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new OutboxQueue();
      const pushed: OutboxItem[] = [];
      const came: OutboxItem[] = [];
      const push = (one: OutboxItem) => {
        pushed.push(one);
        queue.push(one);
      };
      for (const action of steps) {
        if (action === "take") {
          const next = queue.shift();
          if (next) came.push(next);
        } else if ("merge" in action) {
          const before = pushed.findLastIndex(({ mergeKey }) => mergeKey === action.merge);
          const replaced = pushed[before];
          queue.drop(action.merge);
          if (replaced && !came.includes(replaced)) pushed.splice(before, 1);
          push(item(SHORT, null, action.merge));
        } else push(item(action.isLong ? LONG : SHORT, action.process));
      }
      came.push(...taken(queue));
      expect(new Set(came)).toEqual(new Set(pushed));
      expect(came).toHaveLength(pushed.length);
      const orderOf = (process: string, items: OutboxItem[]) => items.filter((one) => one.process === process || one.process === null);
      for (const process of "abc")
        expect(orderOf(process, came).map((one) => pushed.indexOf(one))).toEqual(
          orderOf(process, pushed).map((one) => pushed.indexOf(one)),
        );
      expect(queue.countedBytes).toBe(0);
    }),
  );
});
