import { expect, test } from "vitest";
import { deltaText, measuredSpan, readCursors, timesOfCursors } from "../../../../../web/src/features/data-plane/plot/cursors.ts";
import { statisticsOf } from "../../../../../web/src/features/data-plane/plot/statistics.ts";
import { TraceSamples } from "../../../../../web/src/features/data-plane/plot/trace-samples.ts";
import { cases, judged, points } from "./judged.ts";

test("the statistics between two cursors are those that numpy computes of the samples between them", () => {
  const all = cases(points(200)).filter(({ times }) => times.length > 3);
  const spans = all.map(({ times }) => {
    const visible = { from: times[0] ?? 0, until: times.at(-1) ?? 0 };
    return measuredSpan([0.9, 0.2], visible);
  });
  const inside = all.map(({ times, values }, index) => {
    const { from, until } = spans[index] ?? { from: 0, until: 0 };
    const rows = [...times.keys()].filter((row) => (times[row] ?? 0) >= from && (times[row] ?? 0) <= until);
    return [rows.map((row) => values[row]), rows.map((row) => times[row])] as const;
  });
  const measured = all.map((_, index) => index).filter((index) => (inside[index]?.[0].length ?? 0) > 0);
  expect(measured.length).toBeGreaterThan(20);
  const results = judged(measured.map((index) => ["statistics", ...(inside[index] ?? [])])) as (number | null)[][];
  for (const [at, index] of measured.entries()) {
    const { times = [], values = [] } = all[index] ?? {};
    const samples = new TraceSamples(["x"], { most: 1_000, step: 1, seconds: 1_000 });
    samples.add(times, [values]);
    const found = statisticsOf(samples, "x", spans[index] ?? { from: 0, until: 0 });
    if (found === null) throw new Error("there are samples between the cursors");
    const { min, max, mean, deviation, rms, count, rate } = found;
    for (const [column, value] of [min, max, mean, deviation, rms, count, rate].entries()) {
      const expected = results[at]?.[column];
      if (expected === null || expected === undefined) expect(value).toBeNaN();
      else expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-7 * Math.max(1, Math.abs(expected)));
    }
  }
});

test("cursors are places in what is visible, in any order", () => {
  const visible = { from: 100, until: 110 };
  expect(timesOfCursors([0.75, 0.5], visible)).toEqual([107.5, 105]);
  expect(measuredSpan([0.75, 0.5], visible)).toEqual({ from: 105, until: 107.5 });
  expect(measuredSpan(null, visible)).toEqual(visible);
  expect(deltaText([0.75, 0.5], visible)).toBe("Δt −2.5 s, 0.4 Hz");
  expect(deltaText([0.5, 0.5], visible)).toBe("Δt 0 s");
});

test.each([[[0.2, 2]], [[0.2]], ["ab"], [null], [[Number.NaN, 0]]])("stored cursors %j are none", (value) => {
  expect(readCursors(value)).toBeNull();
});
