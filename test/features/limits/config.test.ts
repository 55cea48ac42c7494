// biome-ignore-all lint/suspicious/noThenProperty: it is a key of the configuration.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import type { ProcessDefinition } from "../../../src/config/definition.ts";
import { describeDefinition } from "../../../src/config/describe-definition.ts";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { isSameForRuns } from "../../../src/config/plan.ts";

const MIB = 1024 ** 2;
const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${text}\n`, "mgr.yaml");
const definitionOf = (keys: string) => parsed(`processes: {p: {command: x, ${keys}}}`).processes.get("p") as ProcessDefinition;

test("limits come from the process, its templates or the defaults, as a whole; none removes them", () => {
  const text = `defaults: {limits_act: [{memory: 1GiB, then: notify}], cgroup: {cpu_max: 50%}}
templates: {t: {command: x, limits_act: [{cpu: 150%, for: 1m, then: stop}], cgroup: none}}
processes:
  a: {command: x}
  b: {extends: t}
  c: {command: x, limits_act: none}`;
  const definitions = [...parsed(text).processes.values()];
  expect(definitions.map(({ limits_act, cgroup }) => ({ limits_act, cgroup }))).toEqual([
    {
      limits_act: [{ measure: "memory", above: 1024 * MIB, for_ms: 30_000, action: "notify" }],
      cgroup: { memory_high: null, memory_max: null, cpu_max: 50, io_max: [] },
    },
    { limits_act: [{ measure: "cpu", above: 150, for_ms: 60_000, action: "stop" }], cgroup: null },
    { limits_act: [], cgroup: { memory_high: null, memory_max: null, cpu_max: 50, io_max: [] } },
  ]);
});

test("the description of a definition has limits in the keys and units of the configuration", () => {
  const keys = `limits_act: [{memory: 1536MiB, then: notify}, {descriptors: 1000, for: 0s, then: restart}, {run_time: 8h, then: restart}],
    cgroup: {memory_high: 512MiB, io_max: [{device: /dev/sda, read: 10MiB}, {device: "8:16", write: 1000}]}`;
  const { limits_act, cgroup } = describeDefinition(definitionOf(keys));
  expect(limits_act).toEqual([
    { memory: "1536MiB", for: "30s", then: "notify" },
    { descriptors: 1000, for: "0s", then: "restart" },
    { run_time: "28800s", then: "restart" },
  ]);
  expect(cgroup).toEqual({
    memory_high: "512MiB",
    io_max: [
      { device: "/dev/sda", read: "10MiB" },
      { device: "8:16", write: "1000B" },
    ],
  });
});

it.each([
  ["no measure", "limits_act: [{then: stop}]", "must have exactly one of the keys memory, cpu, descriptors, run_time, log_growth"],
  ["two measures", "limits_act: [{memory: 1GiB, cpu: 5%, then: stop}]", "run_time, log_growth, found memory, cpu"],
  ["no action", "limits_act: [{memory: 1GiB}]", "limits_act[0].then: is missing; it must be one of notify, restart, stop"],
  ["another action", "limits_act: [{memory: 1GiB, then: kill}]", "must be one of notify, restart, stop, found 'kill'"],
  ["a share without a unit", "limits_act: [{cpu: 150, then: stop}]", "must be a share of one CPU such as 50% or 150%"],
  ["a time for a run time", "limits_act: [{run_time: 8h, for: 3s, then: stop}]", "limits_act[0].for: has no meaning with run_time"],
  ["one limit without a list", "limits_act: {memory: 1GiB, then: stop}", "limits_act: must be a list of limits"],
  ["too many limits", `limits_act: [${"{memory: 1GiB, then: stop}, ".repeat(17)}]`, "must be at most 16 limits"],
  ["a cgroup in which nothing starts", "cgroup: {memory_max: 4KiB}", "cgroup.memory_max: must be at least 1MiB"],
  ["an unknown key", "cgroup: {memory: 1GiB}", "cgroup.memory: unknown key"],
  ["a device without limits", "cgroup: {io_max: [{device: /dev/sda}]}", "must have at least one of the keys read, write"],
  ["no device", "cgroup: {io_max: [{device: sda, read: 1MiB}]}", "is neither a path that begins with / nor a pair of numbers"],
])("limits with %s are refused", (_what, keys, message) => {
  expect(() => definitionOf(keys)).toThrow(message);
});

test("the examples of docs/limits.md are configurations", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/limits.md"), "utf8");
  const examples = [...text.matchAll(/^```yaml\n(.*?)^```/gmsu)].map(([, example = ""]) => parsed(example));
  expect(
    examples.map(({ processes }) => [...processes.values()].map(({ limits_act, cgroup }) => [limits_act.length, cgroup !== null])),
  ).toEqual([
    [
      [2, false],
      [2, false],
    ],
    [[0, true]],
  ]);
});

test("other limits take effect without a restart; another command does not", () => {
  const before = definitionOf("limits_act: [{memory: 1GiB, then: stop}]");
  expect(isSameForRuns(before, definitionOf("limits_act: [{memory: 2GiB, then: stop}], cgroup: {memory_max: 3GiB}"))).toBe(true);
  expect(isSameForRuns(before, definitionOf("limits_act: [{memory: 1GiB, then: stop}], umask: '022'"))).toBe(false);
});
