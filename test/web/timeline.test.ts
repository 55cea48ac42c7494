import { expect, test } from "vitest";
import type { StateChange } from "../../web/src/process/state-history.ts";
import { stretches } from "../../web/src/process/timeline.ts";

const BEGIN = Date.parse("2026-11-21T08:00:00.000Z");
const change = (second: number, to: StateChange["to"]): StateChange => ({
  time: new Date(BEGIN + second * 1_000).toISOString().slice(0, -1),
  to,
  text: to,
});
/** State and seconds, in ten cells of a second. */
const strip = (...changes: StateChange[]) =>
  stretches(changes, { begin: BEGIN, end: BEGIN + 10_000, cells: 10 }).map(({ state, from, to }) => [
    state,
    (from - BEGIN) / 1_000,
    (to - BEGIN) / 1_000,
  ]);

test("a timeline begins with the state from before it, or shows that it is unknown", () => {
  expect(strip(change(-5, "started"))).toEqual([["started", 0, 10]]);
  expect(strip(change(4.5, "started"))).toEqual([
    [null, 0, 4],
    ["started", 4, 10],
  ]);
  expect(strip()).toEqual([[null, 0, 10]]);
});

test("a short failure is visible in its cell, and equal neighbours are one segment", () => {
  expect(
    strip(change(0, "started"), change(3.2, "error"), change(3.3, "starting"), change(3.4, "started"), change(6.5, "stopped")),
  ).toEqual([
    ["started", 0, 3],
    ["error", 3, 4],
    ["started", 4, 7],
    ["stopped", 7, 10],
  ]);
});

test("changes before or after the timeline are ignored", () => {
  expect(strip(change(-9, "error"), change(-8, "started"), change(99, "error"))).toEqual([["started", 0, 10]]);
});
