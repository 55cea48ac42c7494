import { describe, expect, test } from "vitest";
import { outputAddress } from "../../../../web/src/features/output-runs/output-address.ts";
import { drawnRuns, NO_CHOICE, toggleMarked } from "../../../../web/src/features/output-runs/run-choice.ts";

const marked = (...numbers: number[]) => numbers.reduce(toggleMarked, NO_CHOICE);

describe("the chosen runs", () => {
  test("are the newest one at first, and without runs none", () => {
    expect([drawnRuns(NO_CHOICE, [3, 2, 1]), drawnRuns(NO_CHOICE, [])]).toEqual([[3], []]);
    expect(drawnRuns({ shown: 2, marked: [] }, [3, 2, 1])).toEqual([2]);
  });

  test("are compared as soon as two are marked, the older one first; a third replaces the one that was marked first", () => {
    expect(drawnRuns(marked(3), [3, 2, 1])).toEqual([3]);
    expect(drawnRuns(marked(3, 1), [3, 2, 1])).toEqual([1, 3]);
    expect(drawnRuns(marked(3, 1, 2), [3, 2, 1])).toEqual([1, 2]);
  });

  test("lose a mark that is set again", () => {
    expect(marked(3, 1, 3).marked).toEqual([1]);
  });

  test("are replaced by the newest one when the manager no longer knows them", () => {
    expect(drawnRuns({ shown: 1, marked: [] }, [23, 22])).toEqual([23]);
    expect(drawnRuns(marked(1, 22), [23, 22])).toEqual([23]);
  });
});

test.each([
  [{ target: { name: "sim/a&b" } }, "/mgr/output?name=sim%2Fa%26b"],
  [{ target: { group: "" }, raw: true, run: 0 }, "/mgr/output?group=&format=raw&run=0"],
  [{ target: { name: "a" }, run: 3, lines: 200 }, "/mgr/output?name=a&run=3&lines=200"],
])("the address of %j", (wanted, address) => {
  expect(outputAddress(wanted)).toBe(address);
});
