import { expect, test } from "vitest";
import type { CurveRow } from "../../../../web/src/features/load-history/charts/curve-data.ts";
import { curvesOf, meanOf, nearest, sumOf, valueAt } from "../../../../web/src/features/load-history/charts/curve-data.ts";
import { LiveSamples } from "../../../../web/src/features/load-history/charts/live-data.ts";
import { inOrder, membersOf, panelsOfGroup, panelsOfOne, ranksOf } from "../../../../web/src/features/load-history/charts/panels.ts";
import { GROUP_FIGURES, PROCESS_FIGURES } from "../../../../web/src/features/load-history/figures.ts";
import { LOAD } from "../fake-load-history.ts";

/** 2026-11-21T08:00:00, seconds since 1970. */
const BEGIN = Date.parse("2026-11-21T08:00:00Z") / 1_000;

function row(name: string, mean: (number | null)[], more: Partial<CurveRow> = {}): CurveRow {
  return {
    ...{ name, host: "rt1", start: "2026-11-21T08:00:00.000", step: 10, resolution: 10, oldest: "2026-11-20T08:00:00.000" },
    series: { cpu_percent: { min: [], mean, max: [] } },
    ...more,
  };
}

const cpu = (data: ReturnType<typeof curvesOf>, line = 0) => data.lines[line]?.series.get("cpu_percent")?.mean;

test("points stand in the middle of their time, and gaps stay gaps", () => {
  const data = curvesOf([row("a", [1, null, 3])]);
  expect(data.times).toEqual([BEGIN + 5, BEGIN + 15, BEGIN + 25]);
  expect(cpu(data)).toEqual([1, null, 3]);
  expect(data).toMatchObject({ step: 10, resolution: 10, oldest: Date.parse("2026-11-20T08:00:00Z") });
});

test("curves with different steps share one axis; where one has no point is no gap", () => {
  const data = curvesOf([row("a", [1, null]), row("b", [7], { step: 20, oldest: null })]);
  expect(data.times).toEqual([BEGIN + 5, BEGIN + 10, BEGIN + 15]);
  expect(cpu(data, 0)).toEqual([1, undefined, null]);
  expect(cpu(data, 1)).toEqual([undefined, 7, undefined]);
  expect(data.step).toBe(20);
  expect(curvesOf([])).toEqual({ times: [], lines: [], step: 0, resolution: 0, oldest: null });
});

test("the value at a time is the nearest one, but none is found within a gap", () => {
  expect(nearest([10, 20, 30], 24)).toBe(1);
  expect(nearest([10, 20, 30], 26)).toBe(2);
  expect(nearest([], 5)).toBe(-1);
  expect(valueAt([1, undefined, undefined, 4], 1)).toBe(1);
  expect(valueAt([1, null, 3], 1)).toBeNull();
  expect(meanOf([10, 20, 30, 40], [2, null, 4, 100], { from: 10, until: 30 })).toBe(3);
  expect(meanOf([10], [null], { from: 0, until: 50 })).toBeNull();
});

test("what is read and written is added; a gap in both is a gap", () => {
  const columns = (mean: (number | null)[]) => ({ mean, min: null, max: null });
  expect(sumOf(columns([1, null, null]), columns([2, 5, null]))?.mean).toEqual([3, 5, null]);
  expect(sumOf(undefined, undefined)).toBeNull();
});

const sample = (name: string, second: number, cpu_percent: number) => ({
  ...{ name, host: "rt1", time: BEGIN + second },
  load: { ...LOAD, cpu_percent },
});

test("live samples follow a history, whose last points are not measured yet", () => {
  const live = new LiveSamples();
  for (const [name, second, value] of [
    ["a", 12, 5],
    ["a", 16, 6],
    ["b", 17, 9],
    ["other", 18, 1],
  ] as const)
    live.add(sample(name, second, value));
  const data = live.appendTo(curvesOf([row("a", [1, 2, null]), row("b", [3, 4, null])]));
  // The sample of second 12 is in the history.
  expect(data.times).toEqual([BEGIN + 5, BEGIN + 15, BEGIN + 16, BEGIN + 17, BEGIN + 18]);
  expect(cpu(data, 0)).toEqual([1, 2, 6, undefined, undefined]);
  expect(cpu(data, 1)).toEqual([3, 4, undefined, 9, undefined]);
  expect(live.newest).toBe(BEGIN + 18);
});

test("a gap that lasts until now stays a gap", () => {
  const data = new LiveSamples().appendTo(curvesOf([row("a", [1, null, null, null])]));
  expect(cpu(data)).toEqual([1, null]);
});

test("of a group those that use the most come first and have the colours; the greediest is drawn in front", () => {
  const visible = { from: 1_000 * BEGIN, until: 1_000 * (BEGIN + 60) };
  const members = membersOf(
    curvesOf([row("a", [1, 1]), row("b", [9, 9]), row("c", [5, null]), row("d", [null, null])]),
    GROUP_FIGURES,
    visible,
  );
  const ranked = inOrder(members, ranksOf(members, "cpu"));
  expect(ranked.map(({ name }) => name)).toEqual(["b", "c", "a"]);
  const [panel] = panelsOfGroup(ranked, GROUP_FIGURES, { colors: ["red", "blue"], faint: "gray", most: 3 });
  expect(panel?.curves.map(({ label, color, isFaint }) => [label, color, isFaint])).toEqual([
    ["a", "gray", true],
    ["c", "blue", false],
    ["b", "red", false],
  ]);
  expect(panelsOfGroup(ranked, GROUP_FIGURES, { colors: [], faint: "gray", most: 1 })[0]?.curves).toHaveLength(1);
});

test("a process has a panel for each figure that was measured, with the extremes of its points", () => {
  const three = { min: [1, 0], mean: [2, 1], max: [3, 2] };
  const none = { min: [null, null], mean: [null, null], max: [null, null] };
  const data = curvesOf([row("a", [], { series: { cpu_percent: three, read_bytes_s: none, written_bytes_s: three, memory: none } })]);
  const panels = panelsOfOne(data, PROCESS_FIGURES, ["red", "blue"]);
  expect(panels.map(({ figure, curves }) => [figure.key, curves.map(({ label, color }) => [label, color])])).toEqual([
    ["cpu", [["", "red"]]],
    ["disk", [["written", "blue"]]],
  ]);
  expect(panels[0]?.curves[0]?.band).toEqual({ low: [1, 0], high: [3, 2] });
});
