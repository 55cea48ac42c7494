import { expect, it, test } from "vitest";
import { describeDefinition } from "../../../src/config/describe-definition.ts";
import { parseConfigText } from "../../../src/config/load/load.ts";

const parsed = (keys: string) => parseConfigText(`instance: {name: t, manager: ":0"}\nprocesses: {p: {command: x, ${keys}}}\n`, "mgr.yaml");
const probe = {
  kind: "topic",
  topic: "arm/state",
  min_rate: null,
  max_gap_ms: null,
  max_latency_ms: null,
  interval_ms: 1_000,
  timeout_ms: 11_000,
};

test("a topic with a rate is a ready condition, and one with limits a liveness check", () => {
  const definition = parsed(
    "ready: {topic: arm/state, rate: 900}, alive: {topic: arm/state, max_gap: 100ms, min_rate: 899.5, max_latency: 5ms, window: 2s, failures: 1}",
  ).processes.get("p");
  expect(definition?.ready).toEqual({ ...probe, min_rate: 900 });
  const limits = { min_rate: 899.5, max_gap_ms: 100, max_latency_ms: 5, interval_ms: 2_000, timeout_ms: 12_000 };
  expect(definition?.alive).toEqual({ probe: { ...probe, ...limits }, failures: 1 });
  expect(definition && describeDefinition(definition)).toMatchObject({
    ready: { topic: "arm/state", rate: 900, window: "1s" },
    alive: { topic: "arm/state", min_rate: 899.5, max_gap: "100ms", max_latency: "5ms", window: "2s", failures: 1 },
  });
});

test("a topic alone is enough", () => {
  const definition = parsed("ready: {topic: a}, alive: {topic: a}").processes.get("p");
  expect(definition?.ready).toEqual({ ...probe, topic: "a" });
  expect(definition?.alive).toEqual({ probe: { ...probe, topic: "a" }, failures: 3 });
});

it.each([
  ["a limit without a topic", "ready: {tcp: 80, rate: 5}", "processes.p.ready.rate: works with 'topic' only"],
  ["a pace of other probes", "alive: {topic: a, interval: 1s}", "processes.p.alive.interval: works with 'tcp', 'http' and 'exec' only"],
  ["two probes", "alive: {topic: a, tcp: 80}", "has 'tcp' and 'topic'; use one of them"],
  ["no probe", "ready: {rate: 5}", "must have one of the keys regex, time, tcp, http, exec, topic"],
  ["a key of the other place", "ready: {topic: a, max_gap: 5s}", "processes.p.ready.max_gap: unknown key"],
  ["a rate of 0", "ready: {topic: a, rate: 0}", "must be a number of messages per second, above 0"],
  ["a topic without a name", "ready: {topic: ''}", "processes.p.ready.topic"],
])("%s is refused", (_title, keys, problem) => {
  expect(() => parsed(keys)).toThrow(problem);
});

const depending = (camera: string, more = "") =>
  parseConfigText(
    `instance: {name: t, manager: ":0"}\n${more}processes:\n  camera: {command: x, ${camera}}\n  tracker: {command: x, depends_on: {camera: {condition: publishing}}}\n`,
    "mgr.yaml",
  );

test("a process can depend on the publishing of one whose probes name a topic, by itself or by a template", () => {
  const { processes } = depending("alive: {topic: camera/image}");
  expect(processes.get("tracker")?.depends_on).toEqual([{ name: "camera", condition: "publishing", on_stop: "stop" }]);
  expect(() => depending("extends: seen", "templates: {seen: {ready: {topic: camera/image}}}\n")).not.toThrow();
});

it.each([
  ["without a probe", "", ""],
  ["with another probe", "alive: {tcp: 80}", ""],
  ["whose own probe replaces that of its template", "extends: seen, ready: {tcp: 80}", "templates: {seen: {ready: {topic: a}}}\n"],
])("the publishing of a process %s is no condition, and the problem names the field", (_title, camera, more) => {
  expect(() => depending(camera, more)).toThrow(
    "processes.tracker.depends_on.camera.condition: 'camera' names no topic in 'ready' or 'alive'",
  );
});
