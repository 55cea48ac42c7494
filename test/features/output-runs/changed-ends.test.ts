import { expect, test } from "vitest";
import { ChangedEnds } from "../../../src/features/output-runs/changed-ends.ts";

const ends = (values: Record<string, number>, table = new ChangedEnds<number>((a, b) => a === b)) => {
  for (const [name, end] of Object.entries(values)) table.set(name, end);
  return table;
};

test("an answer has what has changed since the one before, and nothing twice", () => {
  const table = ends({ a: 1, b: 2 });
  const first = table.since(0, 10);
  expect(first.ends).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
  ends({ a: 1, b: 3 }, table);
  const second = table.since(first.next, 10);
  expect(second.ends).toEqual([["b", 3]]);
  expect(table.since(second.next, 10)).toEqual({ ends: [], next: second.next });
});

test("more changes than fit come with the next answer, those of long ago first, also of a process that writes all the time", () => {
  const table = ends({ chatty: 1, b: 1, c: 1 });
  const first = table.since(0, 2);
  expect(first.ends.map(([name]) => name)).toEqual(["chatty", "b"]);
  ends({ chatty: 2 }, table);
  expect(table.since(first.next, 2).ends).toEqual([
    ["c", 1],
    ["chatty", 2],
  ]);
});

test("a number of another table gives everything", () => {
  expect(ends({ a: 1 }).since(99, 10).ends).toEqual([["a", 1]]);
});

test("forgotten names are given no more", () => {
  const table = ends({ a: 1, b: 1 });
  table.keep((name) => name === "b");
  expect(table.since(0, 10).ends).toEqual([["b", 1]]);
});
