import { expect, it } from "vitest";
import { SampleBatch } from "../../../../src/features/data-plane/manager/topics/sample-batch.ts";

const sample = {
  position: new Float64Array([1, 2.5]),
  header: { stamp: { nanosec: 9_223_372_036_854_775_807n } },
  on: true,
  nan: Number.NaN,
};

it.each([
  ["position[1]", 2.5],
  ["header.stamp.nanosec", 2 ** 63],
  ["on", 1],
  ["nan", null],
  ["missing.field", null],
  ["constructor", null],
  ["", null],
])("%s is read from a sample", (field, value) => {
  const batch = new SampleBatch([field]);
  batch.add(1.5, sample);
  expect(batch.take()).toEqual({ times: [1_500], values: [[value]] });
});

it("a batch is bounded, and starts empty after it was taken", () => {
  const batch = new SampleBatch([""]);
  for (let n = 0; n < 6_000; n++) batch.add(n, n);
  expect(batch.take().times).toHaveLength(5_000);
  batch.add(1, 7);
  expect(batch.take()).toEqual({ times: [1_000], values: [[7]] });
});
