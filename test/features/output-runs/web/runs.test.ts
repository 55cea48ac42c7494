import { describe, expect, test } from "vitest";
import { outputAddress } from "../../../../web/src/features/output-runs/output-address.ts";
import { presentChoice, toggleCompared } from "../../../../web/src/features/output-runs/run-choice.ts";

describe("the chosen runs", () => {
  test("are the newest one at first, and without runs none", () => {
    expect(presentChoice([], [3, 2, 1])).toEqual([3]);
    expect(presentChoice([], [])).toEqual([]);
  });

  test("are at most two, the older one first; a third replaces the one that was chosen first", () => {
    expect(presentChoice(toggleCompared([3], 1), [3, 2, 1])).toEqual([1, 3]);
    expect(presentChoice(toggleCompared([3, 1], 2), [3, 2, 1])).toEqual([1, 2]);
  });

  test("lose one that is chosen again, but never the last", () => {
    expect(toggleCompared([3, 1], 3)).toEqual([1]);
    expect(toggleCompared([3], 3)).toEqual([3]);
  });

  test("are replaced by the newest one when the manager no longer knows them", () => {
    expect(presentChoice([1], [23, 22])).toEqual([23]);
    expect(presentChoice([1, 22], [23, 22])).toEqual([22]);
  });
});

test.each([
  [{ target: { name: "sim/a&b" } }, "/mgr/output?name=sim%2Fa%26b"],
  [{ target: { group: "" }, raw: true, run: 0 }, "/mgr/output?group=&format=raw&run=0"],
  [{ target: { name: "a" }, run: 3, lines: 200 }, "/mgr/output?name=a&run=3&lines=200"],
])("the address of %j", (wanted, address) => {
  expect(outputAddress(wanted)).toBe(address);
});
