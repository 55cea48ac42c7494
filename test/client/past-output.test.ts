import { expect, test } from "vitest";
import { inOrder } from "../../src/client/past-output.ts";

const at = (offset: number, second: number) => ({ offset, time: `2026-11-22T10:00:0${second}.000` });
const received = (outputs: Parameters<typeof inOrder>[0]) => inOrder(outputs).map(({ name, text }) => `${name}: ${text}`);

test("a line that was written in two parts stays whole, at the time of the first part", () => {
  const a = { name: "a", text: "one... done\ntwo\n", offset: 16, times: [at(0, 1), at(6, 3)] };
  const b = { name: "b", text: "between\n", offset: 8, times: [at(0, 2)] };
  expect(received([a, b])).toEqual(["a: one... done\n", "b: between\n", "a: two\n"]);
});

test("a clock that is set back does not change the order within a process", () => {
  const a = { name: "a", text: "1\n2\n3\n", offset: 6, times: [at(0, 5), at(2, 1), at(4, 6)] };
  expect(received([a]).join("")).toBe("a: 1\na: 2\na: 3\n");
});

test("marks before the text, at its very end and beyond are no pieces; no output is none", () => {
  const a = { name: "a", text: "x\n", offset: 10, times: [at(0, 1), at(4, 2), at(8, 3), at(10, 4), at(12, 5)] };
  expect(received([a, { name: "b", text: "", offset: 0, times: [] }])).toEqual(["a: x\n"]);
});
