import fc from "fast-check";
import { expect, test } from "vitest";
import { keepOrder } from "../../web/src/ui/list/held-order.ts";

const row = (key: string, load = 0) => ({ key, load });
const held = (before: string[], now: { key: string; load: number }[]) =>
  keepOrder(
    before.map((key) => row(key)),
    now,
    ({ key }) => key,
  );

test("rows stay in place with their current values; removed ones keep their place, new ones come last", () => {
  expect(held(["a", "b", "c"], [row("c", 3), row("x", 9), row("a", 1)])).toEqual([row("a", 1), row("b"), row("c", 3), row("x", 9)]);
});

test("no row moves and none is missing, whatever changes", () => {
  const keys = fc.uniqueArray(fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(keys, keys, (before, now) => {
      const found = held(
        before,
        now.map((key) => row(key, 1)),
      ).map(({ key }) => key);
      expect(found.slice(0, before.length)).toEqual(before);
      expect(new Set(found)).toEqual(new Set([...before, ...now]));
    }),
    { interruptAfterTimeLimit: 5_000 },
  );
});
