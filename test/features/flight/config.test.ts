import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { appliedSettings } from "../../../src/config/plan.ts";
import { flightSpec } from "../../../src/features/flight/manager/flight-spec.ts";
import { parseTopicCondition } from "../../../src/features/flight/topic-condition.ts";

const configured = (flight: string) => parseConfigText(`instance: {name: t, manager: ":0"}\nprocesses: {}\n${flight}`, "mgr.yaml").flight;

function problemOf(flight: string): string {
  try {
    configured(flight);
    return "";
  } catch (error) {
    return String(error);
  }
}

test("it is off without a section and with none; an empty section has a trigger for crashes", () => {
  expect(configured("")).toBeNull();
  expect(configured("flight: none")).toBeNull();
  const settings = configured("flight:");
  expect(flightSpec(settings, 1)).toEqual({
    memory: 64 * 1024 ** 2,
    disk: 0,
    span_ms: 60_000,
    topics: ["*"],
    max_rate: null,
    terminals: ["*"],
    triggers: [{ name: "crash", before_ms: 30_000, after_ms: 5_000, quiet_ms: 60_000, when: { kind: "crash", processes: ["*"] } }],
  });
  expect(flightSpec(settings, 2).disk).toBe(256 * 1024 ** 2);
  expect(flightSpec(configured("flight: {disk: none}"), 2).disk).toBe(0);
  expect(flightSpec(null, 1)).toMatchObject({ memory: 0, triggers: [] });
});

test("a reload names it if it differs", () => {
  const config = (triggers: string) =>
    parseConfigText(`instance: {name: t, manager: ":0"}\nprocesses: {}\nflight: {triggers: {t: ${triggers}}}`, "mgr.yaml");
  const [topic, output] = ["{on: topic, when: 'arm/state.x > 1 for 1s'}", "{on: output, matches: 'refused|reset'}"];
  for (const trigger of [topic, output]) expect(appliedSettings(config(trigger), config(trigger))).toEqual([]);
  expect(appliedSettings(config(topic), config(output))).toEqual(["flight"]);
});

test.each([
  ["arm/state.torque[2] > 40 for 50ms", { topic: "arm/state", field: "torque[2]", comparison: ">", limit: 40, for_ms: 50 }],
  ["arm/state[0].x<=-1.5e3", { topic: "arm/state", field: "[0].x", comparison: "<=", limit: -1500, for_ms: 0 }],
  ["count != 0", { topic: "count", field: "", comparison: "!=", limit: 0, for_ms: 0 }],
])("the condition %s is read", (text, condition) => expect(parseTopicCondition(text)).toEqual(condition));

test("with a topic of its own, a condition begins with the field", () => {
  expect(parseTopicCondition("x.y == 1", "a.b")).toMatchObject({ topic: "a.b", field: "x.y" });
  expect(parseTopicCondition("> 3", "a.b")).toMatchObject({ topic: "a.b", field: "" });
});

test.each([
  ["{on: topic, when: arm/state}", /flight\.triggers\.t\.when: must be a comparison with a number/],
  ["{on: topic, when: 'arm/state.x > fast'}", /when: must compare with a number, found 'fast'/],
  ["{on: topic, when: 'arm/state.x > 1 for ever'}", /when: must have a duration such as 50ms or 2s after 'for'/],
  ["{on: topic, when: '.x > 1'}", /when: must begin with the name of a topic/],
  ["{on: topic, when: 'a//b > 1'}", /when: names the topic 'a\/\/b', which has an empty part/],
  ["{on: topic}", /must have the key when/],
  ["{on: gap, topic: arm/state}", /must have the key gap/],
  ["{on: rate, topic: arm/state}", /must have at least one of the keys min_rate, max_rate/],
  ["{on: state}", /must have the key states/],
  ["{on: output, matches: '(?=x)'}", /matches: cannot be used/],
  ["{on: crash, matches: x}", /matches: has no effect with 'on: crash'/],
  ["{on: crash, before: 2m}", /before: must be at most 60s, which is what 'seconds'/],
  ["{on: crash, after: 2h}", /after: must be a duration/],
  ["{on: explosion}", /on: must be one of crash/],
])("the trigger %s is refused at its field", (trigger, problem) => {
  expect(problemOf(`flight: {triggers: {t: ${trigger}}}`)).toMatch(problem);
});

test("no trigger may be called snapshot", () => {
  expect(problemOf("flight: {triggers: {snapshot: {on: crash}}}")).toMatch(/the name 'snapshot' is that of incidents/);
});

test("the example of docs/flight.md is valid, and all its triggers reach the hosts", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/flight.md"), "utf8");
  const [, example = ""] = /^```yaml\n(.*?)^```/msu.exec(page) ?? [];
  const { flight } = parseConfigText(example, "mgr.yaml");
  expect(flightSpec(flight, 1).triggers.map(({ name }) => name)).toEqual(["crash", "torque", "silent", "refused"]);
});
