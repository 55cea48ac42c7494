import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldAt, fieldPathText, leavesOf, numberOf, parseFieldPath } from "../../../src/features/data-plane/field-path.ts";

describe("a path of a field", () => {
  test.each([
    ["position[0]", ["position", 0]],
    ["pose.position.x", ["pose", "position", "x"]],
    ["[2].x", [2, "x"]],
    ['["a.b"].c["d"]', ["a.b", "c", "d"]],
    ["größe", ["größe"]],
  ])("%s", (text, path) => expect(parseFieldPath(text)).toEqual(path));

  test.each(["", ".x", "x.", "x..y", "x[", "x[-1]", "x[a]", "x]", '["a', "x y[0]z"])("'%s' is none", (text) => {
    expect(parseFieldPath(text)).toBeNull();
  });

  test("is read as it was written", () => {
    const step = fc.oneof(fc.nat(999_999_999), fc.string({ minLength: 1 }), fc.constantFrom("a.b", '"', "[0]", "\\"));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (path) => {
        expect(parseFieldPath(fieldPathText(path))).toEqual(path);
      }),
      { interruptAfterTimeLimit: 5_000 },
    );
  });
});

const SAMPLE = { position: [1, 2], typed: new Float64Array([3, 4]), pose: { x: 5, frame: "map" }, none: null };

test("fields are found by their path; what is inherited is none", () => {
  const at = (text: string) => fieldAt(SAMPLE, parseFieldPath(text) ?? []);
  expect([at("position[1]"), at("typed[1]"), at("pose.x")]).toEqual([2, 4, 5]);
  for (const missing of ["position[2]", "pose.y", "toString", "pose.constructor", "none.x", "pose.frame.length.x"])
    expect(at(missing)).toBeUndefined();
});

test("leaves are listed in order, up to a limit", () => {
  const texts = (limit: number) => leavesOf(SAMPLE, limit).map(({ path }) => fieldPathText(path));
  const all = ["position[0]", "position[1]", "typed[0]", "typed[1]", "pose.x", "pose.frame", "none"];
  expect(texts(100)).toEqual(all);
  expect(texts(3)).toEqual(all.slice(0, 3));
  expect(leavesOf(7, 10)).toEqual([{ path: [], value: 7 }]);
});

test("numbers of a plot", () => {
  expect([1.5, 7n, true, false, "9007199254740993", "-Infinity", "1.5", "", null, {}].map(numberOf)).toEqual([
    1.5,
    7,
    1,
    0,
    Number("9007199254740993"),
    Number.NEGATIVE_INFINITY,
    null,
    null,
    null,
    null,
  ]);
  expect(numberOf("NaN")).toBeNaN();
});
