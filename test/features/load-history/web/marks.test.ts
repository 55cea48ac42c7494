import { expect, test } from "vitest";
import type { HistoryEvent } from "../../../../src/features/load-history/event-wire.ts";
import { marksOf, markText } from "../../../../web/src/features/load-history/marks/marks.ts";
import { greediest } from "../../../../web/src/features/load-history/sections/greediest.ts";
import { LOAD } from "../fake-load-history.ts";

const BEGIN = Date.parse("2026-11-21T08:00:00Z");
const event = (second: number, kind: HistoryEvent["kind"]): HistoryEvent => ({
  ts: new Date(BEGIN + 1_000 * second).toISOString().slice(0, -1),
  ...{ kind, name: "a", text: `${kind} at ${second}` },
});
const span = { from: BEGIN, until: BEGIN + 100_000 };

test("events that are near each other share the mark of the most important one", () => {
  const events = [
    event(1, "restart"),
    event(2, "crash"),
    event(3, "restart"),
    event(50, "command"),
    event(60, "state"),
    event(200, "crash"),
  ];
  const marks = marksOf(events, span, { width: 500, least: 14 });
  expect(marks.map(({ kind, place, events: own }) => [kind, place, own.length])).toEqual([
    ["crash", 0.01, 3],
    ["command", 0.5, 1],
  ]);
  expect(marks.map(markText)).toEqual(["1 failure, 2 restarts", "command at 50"]);
  expect(marksOf(events, span, { width: 10_000, least: 14 })).toHaveLength(4);
});

test("the processes that use the most are listed, without those that use nothing", () => {
  const load = (name: string, cpu_percent: number | null) => ({ name, host: "rt1", load: { ...LOAD, cpu_percent } });
  const loads = [load("a", 1), load("b", null), load("c", 30), load("d", 0), load("e", 5)];
  expect(greediest(loads, "cpu_percent", 2).map(({ name }) => name)).toEqual(["c", "e"]);
  expect(greediest(loads, "cpu_percent", 9)).toHaveLength(3);
});
