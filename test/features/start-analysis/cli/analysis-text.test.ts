import { expect, test } from "vitest";
import { analysisText } from "../../../../src/features/start-analysis/cli/analysis-text.ts";
import { parseTime } from "../../../../src/protocol/time.ts";
import { ANALYSIS, START } from "../fake-start-analysis.ts";

const options = { now: parseTime("2026-11-21T08:14:10.000"), limit: 10, width: 200 };

test("the chain begins with the process that was up last, and the longest own time comes first", () => {
  expect(analysisText(ANALYSIS, options).split("\n")).toEqual([
    "Last start of all processes at 2026-11-21 08:14:00 UTC: 3 processes, took 3.500 s, 1 failed",
    "The start of 1 process is not known: an earlier manager has started it.",
    "",
    "Critical chain (@ since the start was requested, + its own part)",
    "web/api @3.500 s +1.250 s",
    "└─db @2.250 s +2.250 s",
    "",
    "LONGEST  OWN TIME  WAITING  STARTING  UNTIL READY  WAITED FOR",
    "db        2.250 s        -     12 ms      2.238 s  -",
    "web/api   1.250 s  2.250 s    100 ms      1.150 s  db",
    "broken       0 ms        -         -            -  -           failed: no such program, 2 attempts",
  ]);
});

test("a start under way lasts until now, and processes beyond the limit are counted", () => {
  const waits = { ...START, name: "web/api", outcome: "under_way" as const, released: null, started: null, up: null, after: "db" };
  const chain = [
    { name: "db", known: false, from: null, until: null },
    { name: "web/api", known: true, from: null, until: null },
  ];
  const text = analysisText({ ...ANALYSIS, settled: null, chain, processes: [START, waits] }, { ...options, limit: 1 });
  expect(text).toContain("2 processes, under way for 10.000 s");
  expect(text).toContain("web/api @10.000 s +0 ms (under way)\n└─db its start is not known (under way)");
  expect(text).toContain("1 more; show them with --limit 2");
});
