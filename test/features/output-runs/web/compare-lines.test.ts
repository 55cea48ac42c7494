import { describe, expect, test } from "vitest";
import { compareLines, MAX_COMPARED_LINES } from "../../../../web/src/features/output-runs/compare-lines.ts";

const shown = (left: string[], right: string[], ignoreNumbers = false) =>
  compareLines(left, right, { ignoreNumbers }).map((pair) => `${pair.left ?? "-"}${pair.isEqual ? "=" : "|"}${pair.right ?? "-"}`);

describe("two texts are aligned by their equal lines", () => {
  test("a line that only one of them has stands alone", () => {
    expect(shown(["a", "b", "c"], ["a", "c"])).toEqual(["a=a", "b|-", "c=c"]);
    expect(shown(["a", "c"], ["x", "a", "b", "c", "d"])).toEqual(["-|x", "a=a", "-|b", "c=c", "-|d"]);
  });

  test("lines that differ stand beside each other, in their order", () => {
    expect(shown(["a", "one", "two", "z"], ["a", "uno", "z"])).toEqual(["a=a", "one|uno", "two|-", "z=z"]);
  });

  test("numbers can count as equal: times, pids, addresses", () => {
    const left = ["12:00:01.5 start pid 17 at 0x7fA0"];
    const right = ["12:30:59.25 start pid 4711 at 0xbeef"];
    expect(compareLines(left, right, { ignoreNumbers: true })).toEqual([{ left: left[0], right: right[0], isEqual: true }]);
    expect(compareLines(left, right, { ignoreNumbers: false })[0]?.isEqual).toBe(false);
    expect(compareLines(["exit 1a"], ["exit 2b"], { ignoreNumbers: true })[0]?.isEqual).toBe(false);
  });

  test("texts without lines, and equal ones", () => {
    expect(shown([], [])).toEqual([]);
    expect(shown([], ["a"])).toEqual(["-|a"]);
    expect(shown(["a", "a"], ["a", "a"])).toEqual(["a=a", "a=a"]);
  });

  test("of long texts the last lines are compared, and every one of them is shown once", () => {
    const left = Array.from({ length: 5_000 }, (_, index) => `left ${index}`);
    const right = Array.from({ length: 5_000 }, (_, index) => `right ${index}`);
    const pairs = compareLines(left, right, { ignoreNumbers: false });
    expect(pairs.map((pair) => pair.left)).toEqual(left.slice(-MAX_COMPARED_LINES));
    expect(pairs.map((pair) => pair.right)).toEqual(right.slice(-MAX_COMPARED_LINES));
  });
});
