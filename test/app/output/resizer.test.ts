import { expect, test } from "vitest";
import { Resizer } from "../../../src/app/output/terminal-sizes.ts";

test("sizes are sent in order; of many, only a few are pending at a time, and the last one is sent last", async () => {
  const sent: number[] = [];
  const answers: (() => void)[] = [];
  const resizer = new Resizer((_process, { rows }) => {
    sent.push(rows);
    return new Promise((resolve) => answers.push(resolve));
  });
  for (const rows of [29, 30]) resizer.resize("p", { rows, cols: 80 });
  expect(sent).toEqual([29, 30]);
  for (let rows = 100; rows < 10_000; rows++) resizer.resize("p", { rows, cols: 80 });
  resizer.resize("q", { rows: 1, cols: 80 });
  expect(sent).toEqual([29, 30, 100, 101, 102, 103, 104, 105, 1]);
  while (answers.length > 0) {
    answers.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sent.slice(9)).toEqual([9_999]);
  resizer.resize("p", { rows: 24, cols: 80 });
  expect(sent.at(-1)).toBe(24);
});
