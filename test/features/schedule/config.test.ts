import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import type { ProcessDefinition } from "../../../src/config/definition.ts";
import { describeDefinition } from "../../../src/config/describe-definition.ts";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { isSameForRuns } from "../../../src/config/plan.ts";

const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${text}\n`, "mgr.yaml");
const definitionOf = (keys: string) => parsed(`processes: {p: {command: x, ${keys}}}`).processes.get("p") as ProcessDefinition;
const scheduleOf = (keys: string) => definitionOf(`schedule: ${keys}`);

test("a schedule comes from the process or its templates, as a whole; none removes it", () => {
  const text = `templates: {t: {command: x, schedule: {cron: "@daily", timezone: UTC, catch_up: true}}}
processes: {a: {extends: t}, b: {extends: t, schedule: {every: 90s, overlap: kill}}, c: {extends: t, schedule: none}}`;
  expect([...parsed(text).processes.values()].map(({ schedule }) => schedule)).toEqual([
    { timing: { kind: "cron", pattern: "@daily", timezone: "UTC" }, overlap: "skip", catch_up: true },
    { timing: { kind: "every", period_ms: 90_000 }, overlap: "kill", catch_up: false },
    null,
  ]);
});

test("the description of a definition has the schedule in the keys of the configuration", () => {
  expect(describeDefinition(scheduleOf('{cron: "0 3 * * 1-5", timezone: Europe/Berlin}')).schedule).toEqual({
    cron: "0 3 * * 1-5",
    timezone: "Europe/Berlin",
    overlap: "skip",
    catch_up: false,
  });
  expect(describeDefinition(scheduleOf("{every: 5m, overlap: queue}")).schedule).toEqual({
    every: "300s",
    overlap: "queue",
    catch_up: false,
  });
});

it.each([
  ["no times", "{overlap: skip}", "must have exactly one of the keys cron, every"],
  ["two kinds of times", '{cron: "@daily", every: 5s}', "must have exactly one of the keys cron, every, found both"],
  ["a time zone of a period", "{every: 5s, timezone: UTC}", "schedule.timezone: has a meaning with cron only"],
  ["an unknown time zone", '{cron: "@daily", timezone: Mars/Olympus}', "schedule.timezone: is not a known time zone: 'Mars/Olympus'"],
  ["a period without length", "{every: 10ms}", "schedule.every: must be at least 1s"],
  ["a field out of range", '{cron: "61 * * * *"}', "schedule.cron: is not valid: Invalid value for minute: 61"],
  ["too few fields", '{cron: "* * * *"}', "must have five fields (minute, hour, day of month, month, day of week)"],
  ["a date", '{cron: "2026-12-24T00:00:00"}', "must have five fields"],
  ["an unknown name", '{cron: "@often"}', "schedule.cron: is not valid"],
  ["a day that never comes", '{cron: "0 0 30 2 *"}', "schedule.cron: has no time at which the process would be started"],
  ["another overlap", "{every: 5s, overlap: both}", "must be one of skip, queue, kill, found 'both'"],
  ["a text", "daily", "schedule: must be a mapping with one of the keys cron, every, or none"],
])("a schedule with %s is refused", (_what, keys, message) => {
  expect(() => scheduleOf(keys)).toThrow(message);
});

test("the restart policy always is refused with a schedule, wherever it comes from", () => {
  const message = "processes.p.schedule: needs another restart policy: with 'always', 'p' would start again as soon as it has ended";
  expect(() => definitionOf("schedule: {every: 5s}, restart: {policy: always}")).toThrow(message);
  expect(() => parsed("defaults: {restart: {policy: always}}\nprocesses: {p: {command: x, schedule: {every: 5s}}}")).toThrow(message);
  expect(() =>
    parsed("templates: {t: {command: x, restart: {policy: always}}}\nprocesses: {p: {extends: t, schedule: {every: 5s}}}"),
  ).toThrow(message);
  expect(
    parsed("defaults: {restart: {policy: always}}\nprocesses: {p: {command: x, schedule: {every: 5s}, restart: {policy: never}}}").processes
      .size,
  ).toBe(1);
});

test("another schedule takes effect without a restart of the process", () => {
  expect(isSameForRuns(scheduleOf("{every: 5s}"), scheduleOf("{every: 6s}"))).toBe(true);
});

test("the examples of docs/schedules.md are configurations", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/schedules.md"), "utf8");
  const examples = [...text.matchAll(/^```yaml\n(.*?)^```/gmsu)].map(([, example = ""]) => parsed(example));
  expect(examples.flatMap(({ processes }) => [...processes.values()].map(({ schedule }) => schedule?.timing.kind))).toEqual([
    "cron",
    "every",
    "cron",
  ]);
});
