import fc from "fast-check";
import { expect, test } from "vitest";
import { TraceSamples } from "../../../../../web/src/features/data-plane/plot/trace-samples.ts";
import { Derivation } from "../../../../../web/src/features/data-plane/scope/derivation.ts";
import {
  type Derived,
  derivedOf,
  MEAN_SECONDS,
  traceOfDerived,
  unitOfDerived,
} from "../../../../../web/src/features/data-plane/scope/derived.ts";
import { MovingMean } from "../../../../../web/src/features/data-plane/scope/moving-mean.ts";
import { batchesOf, cases, judged, type Points, points } from "./judged.ts";

const BOUNDS = { most: 30_000, step: 0.01, seconds: 300 };
const [a, b, c] = ["a", "b", "c"].map((topic) => ({ topic, field: "x" })) as [Trace, Trace, Trace];
type Trace = Derived["inputs"][number];

/** The derived series of topics a, b, c, whose batches arrive in turns. */
function derive(derived: Derived, batches: readonly (readonly Points[])[]): [number[], number[]] {
  const samples = new Map(batches.map((_, index) => ["abc"[index] ?? "", new TraceSamples(["x"], BOUNDS)]));
  const derivation = new Derivation(derived, (topic) => samples.get(topic), BOUNDS);
  for (let turn = 0; turn < Math.max(...batches.map(({ length }) => length)); turn++)
    for (const [index, own] of batches.entries()) {
      const { times, values } = own[turn] ?? { times: [], values: [] };
      samples.get("abc"[index] ?? "")?.add(times, [values]);
      derivation.update();
    }
  const [times, values] = derivation.samples.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  return [times, values as number[]];
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
const series = fc.constantFrom<[Derived, number]>(
  [{ kind: "difference", inputs: [a, b] }, 2],
  [{ kind: "derivative", inputs: [a] }, 1],
  [{ kind: "mean", inputs: [a], seconds: 0.05 }, 1],
  [{ kind: "norm", inputs: [a, b, c] }, 3],
);
const inputs = fc.tuple(series, fc.array(fc.tuple(points(), cuts), { minLength: 3, maxLength: 3 }));

test("series have the values that numpy computes, however their samples are cut into batches", () => {
  const all = cases(inputs, 150);
  const asked = all.map(([[derived, count], lines]) => [
    "derived",
    derived.kind,
    lines.slice(0, count).map(([{ times, values }]) => [times, values]),
    derived.kind === "mean" ? derived.seconds : null,
  ]);
  for (const [index, [expectedTimes, expected]] of judged(asked).entries()) {
    const [[derived, count], lines] = all[index] ?? [[{ kind: "norm", inputs: [] }, 0], []];
    const [times, values] = derive(
      derived,
      lines.slice(0, count).map(([line, places]) => batchesOf(line, places)),
    );
    expect(times, derived.kind).toEqual(expectedTimes);
    for (const [row, value] of (expected as number[]).entries())
      expect(Math.abs((values[row] ?? Number.NaN) - value), derived.kind).toBeLessThan(1e-7 * Math.max(1, Math.abs(value)));
  }
});

test("a moving mean stays exact over more samples than its ring holds, after a large value, too", () => {
  const mean = new MovingMean(0.1);
  mean.add(0, 1e12);
  let last = 0;
  for (let row = 1; row <= 5_000; row++) last = mean.add(row / 1_000, row);
  // The last 100 samples: 4901 to 5000.
  expect(last).toBeCloseTo(4_950.5, 6);
});

test("a sample without a value is left out, and an input that ends holds its series up", () => {
  const samples = new Map(["a", "b"].map((topic) => [topic, new TraceSamples(["x"], BOUNDS)]));
  const derivation = new Derivation({ kind: "difference", inputs: [a, b] }, (topic) => samples.get(topic), BOUNDS);
  samples.get("a")?.add([1, 2, 3, 4], [[10, null, 30, 40]]);
  samples.get("b")?.add([1, 3], [[1, 3]]);
  derivation.update();
  expect(derivation.samples.between(0, 9)).toEqual([
    [1, 3],
    [9, 27],
  ]);
  samples.get("b")?.add([5], [[5]]);
  derivation.update();
  expect(derivation.samples.between(3.5, 9)).toEqual([[4], [36]]);
});

test("series are made of as many inputs as they need, and of spans that are bounded", () => {
  expect(derivedOf("difference", [a, b], 0)).toEqual({ kind: "difference", inputs: [a, b] });
  expect(derivedOf("difference", [a], 0)).toBeNull();
  expect(derivedOf("derivative", [a, b], 0)).toBeNull();
  expect(derivedOf("mean", [a], MEAN_SECONDS.most + 1)).toBeNull();
  expect(derivedOf("mean", [a], Number.NaN)).toBeNull();
  expect(derivedOf("norm", [], 0)).toBeNull();
  expect(
    derivedOf(
      "norm",
      Array.from({ length: 21 }, () => a),
      0,
    ),
  ).toBeNull();
  expect(derivedOf("integral", [a], 0)).toBeNull();
});

test("series have titles, and the units of their inputs where these agree", () => {
  const units = (trace: Trace) => (trace.topic === "c" ? "m" : "rad");
  const titles = [
    { kind: "difference", inputs: [a, b] },
    { kind: "derivative", inputs: [a] },
    { kind: "mean", inputs: [a], seconds: 0.5 },
    { kind: "norm", inputs: [a, c] },
  ] satisfies Derived[];
  expect(titles.map((one) => [traceOfDerived(one).topic, unitOfDerived(one, units)])).toEqual([
    ["a.x − b.x", "rad"],
    ["d/dt a.x", "rad/s"],
    ["mean 0.5 s of a.x", "rad"],
    ["norm of a.x, c.x", null],
  ]);
});
