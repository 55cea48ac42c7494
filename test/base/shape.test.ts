import { expect, test } from "vitest";
import { hasShape, isFlag, isText, isWhole, type Shape } from "../../src/base/shape.ts";

interface Point {
  name: string;
  x: number;
  shown: boolean;
}
const POINT: Shape<Point> = { name: isText, x: isWhole, shown: isFlag };

test("an object with all fields of their types has the shape, others beside them", () => {
  expect(hasShape({ name: "a", x: 1, shown: true }, POINT)).toBe(true);
  expect(hasShape({ name: "a", x: 1, shown: true, more: null }, POINT)).toBe(true);
});

test.each([
  [null],
  [undefined],
  ["text"],
  [[]],
  [{}],
  [{ name: "a", x: 1 }],
  [{ name: null, x: 1, shown: true }],
  [{ name: "a", x: 1.5, shown: true }],
  [{ name: "a", x: 2 ** 53, shown: true }],
  [{ name: "a", x: "1", shown: true }],
  [{ name: "a", x: 1, shown: 0 }],
])("%j has not", (value) => {
  expect(hasShape(value, POINT)).toBe(false);
});
