import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { traceText } from "../../../../src/features/data-plane/cli/topic/why.ts";
import type { TraceStep } from "../../../../src/features/data-plane/wire/topic-trace.ts";

const EMPTY = { host: null, messages: null, rate: null, last_age_ms: null, waiting: null, dropped: null, definition: null, note: null };
const step = (kind: TraceStep["kind"], name: string, more: Partial<TraceStep> = {}): TraceStep => ({
  ...EMPTY,
  kind,
  name,
  problem: null,
  advice: null,
  ...more,
});

const STEPS = [
  step("publisher", "arm/driver", { host: "rt1", messages: 120_331, rate: 998, last_age_ms: 12, definition: "json" }),
  step("broker", "rt1", { host: "rt1", messages: 120_331, rate: 998 }),
  step("link", "rt1 → manager", { waiting: 0, dropped: 0 }),
  step("broker", "manager", { messages: 120_310, rate: 998 }),
  step("link", "manager → rt2", {
    waiting: 1_043,
    dropped: 8_112,
    problem: "the link is too slow: it lost 586 messages within the measurement",
    advice: "publish less or smaller messages, or give the topic a priority (docs/clients.md); mgr net shows the traffic",
  }),
  step("broker", "rt2", { host: "rt2", messages: 89_004, rate: 412 }),
  step("subscriber", "arm/view", { host: "rt2", messages: 89_004, rate: 412, waiting: 0, dropped: 0 }),
];

test("the first wrong place is marked, with what to do, as docs/clients.md shows it", () => {
  const shown = traceText(STEPS, 4)
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`.trimEnd()))
    .join("\n");
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/clients.md"), "utf8");
  const from = docs.indexOf("       STEP ");
  expect(docs.slice(from, docs.indexOf("\n\nIt finds:", from))).toBe(shown);
});

test("of two problems the first is marked, the other one only noted", () => {
  const silent = { problem: "it is silent", advice: "see its output" };
  const text = traceText([step("publisher", "-", silent), step("broker", "one"), step("subscriber", "view", silent)], 0);
  expect(text.split("\n").map((line) => line.slice(0, 12).trimEnd())).toEqual([
    "   STEP",
    "✗  publisher",
    "✓  broker",
    "!  subscribe",
    "",
    "publisher -:",
    "What to do:",
  ]);
  expect(traceText([step("broker", "one")], null)).toMatch(/\n\nNothing is wrong: messages arrive\.$/);
});
