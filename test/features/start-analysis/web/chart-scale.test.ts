import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTime } from "../../../../src/protocol/time.ts";
import { partsOf, spanOf, ticksOf } from "../../../../web/src/features/start-analysis/chart-scale.ts";
import { ANALYSIS, START } from "../fake-start-analysis.ts";

const NOW = parseTime("2026-11-21T08:14:10.000");

test("a bar has its parts side by side, in percent of the chart", () => {
  const span = spanOf(ANALYSIS.processes, NOW);
  expect(span.until - span.from).toBe(3_500);
  const [waiting, starting, ready] = ANALYSIS.processes[1] ? partsOf(ANALYSIS.processes[1], span, NOW) : [];
  expect([waiting?.phase, starting?.phase, ready?.phase]).toEqual(["waiting", "starting", "until_ready"]);
  expect(waiting).toMatchObject({ left: 0 });
  expect(starting?.left).toBeCloseTo((waiting?.left ?? 0) + (waiting?.width ?? 0));
  expect((ready?.left ?? 0) + (ready?.width ?? 0)).toBeCloseTo(100);
});

test("a start under way lasts until now, and a chart without starts has a length", () => {
  const underWay = { ...START, outcome: "under_way" as const, up: null };
  const span = spanOf([underWay], NOW);
  expect(span.until).toBe(NOW);
  expect(partsOf(underWay, span, NOW).at(-1)).toMatchObject({ phase: "until_ready" });
  expect(spanOf([], NOW)).toEqual({ from: NOW, until: NOW + 1 });
});

test("ticks are at round times from 0 on, within the chart, and not more than requested", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), fc.integer({ min: 1, max: 10 }), (length, most) => {
      const ticks = ticksOf({ from: 5, until: 5 + length }, most);
      expect(ticks.length).toBeGreaterThan(0);
      expect(ticks.length).toBeLessThanOrEqual(most + 1);
      expect(ticks[0]).toMatchObject({ left: 0 });
      for (const { left } of ticks) expect(left).toBeLessThanOrEqual(100);
      expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
    }),
  );
  expect(ticksOf({ from: 0, until: 3_000 }, 6).map(({ text }) => text)).toEqual(["0 ms", "500 ms", "1 s", "1.5 s", "2 s", "2.5 s", "3 s"]);
});
