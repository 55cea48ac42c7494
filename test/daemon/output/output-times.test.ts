import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputTimes } from "../../../src/daemon/output/output-times.ts";

test("output since a time begins where it was written; after a pause, none of before is included", () => {
  const times = new OutputTimes();
  const written = [10_000, 10_400, 11_200, 60_000];
  for (const [offset, time] of written.entries()) times.note(offset, time);
  expect([5_000, 10_000, 11_100].map((time) => times.offsetAt(time))).toEqual([0, 0, 0]);
  expect([12_100, 13_100, 30_000, 60_000, 61_900].map((time) => times.offsetAt(time))).toEqual([2, 2, 3, 3, 3]);
  expect(times.offsetAt(62_000)).toBeNull();
  expect(new OutputTimes().offsetAt(0)).toBeNull();
});

test("the times of output from an offset on begin with the last mark before it", () => {
  const times = new OutputTimes();
  for (const [offset, time] of [
    [0, 1_000],
    [10, 5_000],
    [20, 9_000],
  ] as const)
    times.note(offset, time);
  expect([0, 10, 15, 20, 99].map((offset) => times.from(offset).map((mark) => mark.offset))).toEqual([
    [0, 10, 20],
    [10, 20],
    [10, 20],
    [20],
    [20],
  ]);
  expect(new OutputTimes().from(0)).toEqual([]);
});

test("however much and however irregularly is written, none of the requested output is left out", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.array(fc.nat(1_000), { minLength: 1, maxLength: 3_000, size: "max" }),
      (scale, pauses) => {
        const times = new OutputTimes();
        let time = 0;
        const written = pauses.map((pause, offset) => {
          time += (pause * scale) / 1_000;
          times.note(offset, time);
          return time;
        });
        for (const [index, since] of written.entries())
          expect(times.offsetAt(since) ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(index);
      },
    ),
    { numRuns: 30 },
  );
});
