import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LatencySeries } from "../../../../src/features/topic-latency/host/latency-series.ts";
import { LogLinearHistogram, MAX_VALUE } from "../../../../src/features/topic-latency/host/log-linear-histogram.ts";

const value = fc.oneof(fc.nat(2_000), fc.nat(2_000_000), fc.integer({ min: 0, max: MAX_VALUE }));

test("each quantile is within 0.5 % of the value of its nearest rank", () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const histogram = new LogLinearHistogram();
      for (const each of values) histogram.add(each);
      const exact = values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1] ?? 0;
      const [quantile = Number.NaN] = histogram.quantiles([share]);
      expect(Math.abs(quantile - exact)).toBeLessThanOrEqual(exact * 0.005);
    }),
    { numRuns: 60 },
  );
});

test("each value is in the bin that begins below it, and the next bin begins above it", () => {
  fc.assert(
    fc.property(value, (each) => {
      const histogram = new LogLinearHistogram();
      histogram.add(each);
      const [bin, ...rest] = histogram.bins();
      expect([bin?.messages, rest]).toEqual([1, []]);
      const from = bin?.from ?? -1;
      const next = String(from).startsWith("2") ? from * 2.5 : Math.max(1, from * 2);
      expect(from <= each && each < next, `${from} ${each} ${next}`).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("steps between the first and the last value are listed, also without values", () => {
  const histogram = new LogLinearHistogram();
  for (const value of [3, 4, 150]) histogram.add(value);
  expect(histogram.bins()).toEqual([
    { from: 2, messages: 2 },
    { from: 5, messages: 0 },
    { from: 10, messages: 0 },
    { from: 20, messages: 0 },
    { from: 50, messages: 0 },
    { from: 100, messages: 1 },
  ]);
  expect(new LogLinearHistogram().bins()).toEqual([]);
});

test("values beyond the range count as the ends of it", () => {
  const histogram = new LogLinearHistogram();
  histogram.add(-5);
  histogram.add(MAX_VALUE * 10);
  const [middle, greatest = Number.NaN] = histogram.quantiles([0.5, 1]);
  expect(middle).toBe(0);
  expect(Math.abs(greatest / MAX_VALUE - 1)).toBeLessThan(0.005);
  expect(histogram.bins().at(0)).toEqual({ from: 0, messages: 1 });
});

/** What numpy says about the same latencies, with the jitter of RFC 3550 as its section 6.4.1 writes it. */
const NUMPY = `
import json, sys, numpy
values = numpy.array(json.load(sys.stdin), dtype=float)
jitter = 0.0
for step in numpy.abs(numpy.diff(values)):
    jitter += (step - jitter) / 16
quantiles = numpy.quantile(values, [0.5, 0.9, 0.99, 0.999], method="inverted_cdf")
print(json.dumps({"min": values.min(), "mean": values.mean(), "max": values.max(), "deviation": values.std(), "jitter": jitter, "quantiles": list(quantiles)}))
`;

test("agrees with numpy", () => {
  const latencies = fc.sample(fc.integer({ min: 1, max: 50_000_000 }), { numRuns: 3_000, seed: 4 });
  const series = new LatencySeries();
  const base = 1_790_000_000_000_000_000n;
  for (const [index, latency] of latencies.entries()) {
    const from = base + BigInt(index) * 1_000_000n;
    series.add(from, from + BigInt(latency), BigInt(index + 1));
  }
  const expected = JSON.parse(execFileSync("python3", ["-c", NUMPY], { input: JSON.stringify(latencies), encoding: "utf8" }));
  const figures = series.figures();
  expect([figures.messages, figures.min, figures.max]).toEqual([3_000, expected.min, expected.max]);
  for (const key of ["mean", "deviation", "jitter"] as const) expect(figures[key] / expected[key]).toBeCloseTo(1, 9);
  const quantiles = [figures.p50, figures.p90, figures.p99, figures.p999];
  for (const [index, quantile] of quantiles.entries()) expect(Math.abs(quantile / expected.quantiles[index] - 1)).toBeLessThan(0.005);
  const worst = latencies.indexOf(expected.max);
  const from = base + BigInt(worst) * 1_000_000n;
  expect(figures.worst).toEqual({ from: String(from), until: String(from + BigInt(expected.max)), seq: worst + 1 });
});

test("a message that arrived before it was sent counts as 0, and is told", () => {
  const series = new LatencySeries();
  series.add(10n, 5n, null);
  expect(series.figures()).toMatchObject({ messages: 1, below_zero: 1, min: 0, max: 0, worst: { from: "10", until: "5", seq: null } });
});
