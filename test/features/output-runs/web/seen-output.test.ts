import { describe, expect, test } from "vitest";
import { readSeenEnds, type SeenEnds, SeenOutput } from "../../../../web/src/features/output-runs/marks/seen-output.ts";

const NONE: ReadonlySet<string> = new Set();
const known = (stored: SeenEnds) => new SeenOutput(stored);
const update = (seen: SeenOutput, ends: Record<string, number>, stream = "s") =>
  seen.update(
    Object.entries(ends).map(([name, offset]) => [name, [offset, stream]]),
    true,
  );

describe("new output", () => {
  test("is what comes after the last look; at the first visit everything counts as seen", () => {
    const seen = new SeenOutput(null);
    update(seen, { a: 5, b: 7 });
    expect([seen.isNew("a"), seen.isNew("b")]).toEqual([false, false]);
    update(seen, { a: 6 });
    expect([seen.isNew("a"), seen.isNew("b")]).toEqual([true, false]);
  });

  test("at the first visit, all parts of a long first answer count as seen, and nothing is kept before its end", () => {
    const seen = new SeenOutput(null);
    seen.update([["a", [5, "s"]]], false);
    expect(seen.stored).toBeNull();
    seen.update([["b", [5, "s"]]], true);
    expect([seen.isNew("a"), seen.isNew("b")]).toEqual([false, false]);
    expect(seen.stored).toEqual({ a: [5, "s"], b: [5, "s"] });
  });

  test("is seen by a look, while it lasts and shortly after: an answer may be about the time before its end", () => {
    const seen = known({ a: [1, "s"] });
    update(seen, { a: 2 });
    expect(seen.look(new Set(["a"]))).toEqual(["a"]);
    expect(seen.isNew("a")).toBe(false);
    update(seen, { a: 3 });
    seen.look(NONE);
    update(seen, { a: 4 });
    update(seen, { a: 5 });
    expect(seen.isNew("a")).toBe(false);
    update(seen, { a: 6 });
    expect(seen.isNew("a")).toBe(true);
  });

  test("of a new daemon is everything that it has; of a process without output nothing", () => {
    const seen = known({ a: [100, "s"] });
    update(seen, { a: 3, b: 0, c: 1 }, "t");
    expect([seen.isNew("a"), seen.isNew("b"), seen.isNew("c"), seen.isNew("unknown")]).toEqual([true, false, true, false]);
  });
});

describe("what another tab has seen", () => {
  test("is seen here, unless this tab has seen more", () => {
    const seen = known({ a: [5, "s"], b: [5, "s"] });
    update(seen, { a: 9, b: 9 });
    expect(seen.merge({ a: [9, "s"], b: [2, "s"] })).toEqual(["a"]);
    expect([seen.isNew("a"), seen.isNew("b")]).toEqual([false, true]);
  });

  test("of an earlier stream changes nothing", () => {
    const seen = known({ a: [5, "t"] });
    update(seen, { a: 5 }, "t");
    seen.merge({ a: [1_000, "s"] });
    expect(seen.isNew("a")).toBe(false);
  });
});

test("processes that are gone are forgotten", () => {
  const seen = known({ a: [5, "s"], b: [5, "s"] });
  seen.keep((name) => name === "b");
  expect(seen.stored).toEqual({ b: [5, "s"] });
});

test.each([null, 3, "x", [], undefined])("storage with %j has nothing to read", (value) => {
  expect(readSeenEnds(value)).toBeNull();
});

test("entries of the storage that are not places are left out", () => {
  expect(readSeenEnds({ a: [5, "s"], b: 5, c: ["5", "s"], d: [1.5, "s"], e: [1, "s", 2] })).toEqual({ a: [5, "s"] });
});
