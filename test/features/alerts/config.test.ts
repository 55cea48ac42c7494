import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import type { ProcessDefinition } from "../../../src/config/definition.ts";
import { describeDefinition } from "../../../src/config/describe-definition.ts";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { isSameForRuns } from "../../../src/config/plan.ts";

const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${text}\n`, "mgr.yaml");
const alertsOf = (text: string) => [...parsed(text).processes.values()].map(({ alert }) => alert);

test("an alert comes from the process, its templates or the defaults, as a whole; none removes it", () => {
  const text = `defaults: {alert: {silent_for: 2m}}
templates: {t: {command: x, alert: {output_matches: ERROR}}}
processes:
  a: {command: x}
  b: {extends: t}
  c: {command: x, alert: {silent_for: 1.5s, output_matches: 'took \\d+ ms'}}
  d: {extends: t, alert: none}`;
  expect(alertsOf(text)).toEqual([
    { silent_for: 120_000, output_matches: null },
    { silent_for: null, output_matches: "ERROR" },
    { silent_for: 1_500, output_matches: "took \\d+ ms" },
    null,
  ]);
  expect([...parsed(text).processes.values()].map((definition) => describeDefinition(definition).alert)).toEqual([
    { silent_for: "120s" },
    { output_matches: "ERROR" },
    { silent_for: "1500ms", output_matches: "took \\d+ ms" },
    undefined,
  ]);
});

it.each([
  ["no reason", "{}", "3:19 processes.p.alert: must have at least one of the keys silent_for, output_matches"],
  [
    "an unknown key",
    "{silent: 3s, output_matches: x}",
    "3:27 processes.p.alert.silent: unknown key; allowed are silent_for, output_matches",
  ],
  ["a silence that programs have all the time", "{silent_for: 100ms}", "processes.p.alert.silent_for: must be at least 1s"],
  ["another word", "sometimes", "processes.p.alert: must be one of none, found 'sometimes'"],
  ["an empty expression", "{output_matches: ''}", "processes.p.alert.output_matches: must be a regular expression of 1 to 1024 characters"],
  ["look-around", "{output_matches: 'a(?=b)'}", "processes.p.alert.output_matches: cannot be used: the pattern has look-around: '(?='"],
  [
    "a back-reference",
    "{output_matches: '(a)\\1'}",
    "the pattern has a back-reference: '\\1'. Regular expressions of an alert run in linear time",
  ],
  ["a line end", '{output_matches: "a\\nb"}', "must not contain a line end"],
  ["an open bracket", "{output_matches: 'a('}", "the pattern cannot be read: "],
])("refuses an alert with %s, and says where", (_what, alert, message) => {
  expect(() => parsed(`processes:\n  p: {command: x, alert: ${alert}}`)).toThrow(message);
});

test("the example of docs/alerts.md is a configuration", () => {
  const [, example = ""] = /^```yaml\n(.*?)^```/msu.exec(readFileSync(join(import.meta.dirname, "../../../docs/alerts.md"), "utf8")) ?? [];
  expect(alertsOf(example)).toEqual([
    { silent_for: 30_000, output_matches: null },
    { silent_for: 120_000, output_matches: "ERROR|lost its? reference" },
  ]);
});

test("an expression that others need exponential time for is allowed", () => {
  expect(alertsOf("processes: {p: {command: x, alert: {output_matches: '(a+)+$'}}}")).toEqual([
    { silent_for: null, output_matches: "(a+)+$" },
  ]);
});

test("another alert takes effect without a restart; another command does not", () => {
  const definition = (keys: string) => parsed(`processes: {p: {${keys}}}`).processes.get("p") as ProcessDefinition;
  const before = definition("command: x");
  expect(isSameForRuns(before, definition("command: x, alert: {silent_for: 5s}"))).toBe(true);
  expect(isSameForRuns(before, definition("command: y, alert: {silent_for: 5s}"))).toBe(false);
});
