import { expect, test } from "vitest";
import { parseMoment } from "../../../../src/features/replay/player/play-options.ts";
import { describedChannel, planTopics } from "../../../../src/features/replay/player/topic-plan.ts";
import { ARM_STATE_DESCRIPTORS } from "../../data-plane/arm-state-protobuf.ts";

const json = (topic: string) => ({ topic, encoding: "json", schemaEncoding: "jsonschema", definition: "{}", definitionName: topic });
const CHANNELS = ["arm/state", "arm/torque", "camera", "mgr/log", "mgr/clock"].map(json);
const plan = (patterns: string[], remaps: string[], channels = CHANNELS) =>
  Object.fromEntries(planTopics(channels, { patterns, remaps }).names);

test("all topics are played but what is recorded beside them, or those that are named", () => {
  expect(plan([], [])).toEqual({ "arm/state": "arm/state", "arm/torque": "arm/torque", camera: "camera" });
  expect(plan(["arm/*", "mgr/*"], [])).toEqual({ "arm/state": "arm/state", "arm/torque": "arm/torque", "mgr/log": "mgr/log" });
  expect(() => plan(["leg/*"], [])).toThrow("no topic to play; recorded are arm/state, arm/torque, camera, mgr/log, mgr/clock");
});

test("topics get other names, one by one or by their beginning", () => {
  expect(plan(["arm/*"], ["arm/state=old"])).toEqual({ "arm/state": "old", "arm/torque": "arm/torque" });
  expect(plan(["arm/*"], ["arm/*=old/arm/*"])).toEqual({ "arm/state": "old/arm/state", "arm/torque": "old/arm/torque" });
  expect(() => plan([], ["leg=old"])).toThrow("--remap leg=old: no chosen topic has this name");
  expect(() => plan([], ["arm/*=old"])).toThrow("expected OLD=NEW");
  expect(() => plan([], ["camera=arm/state"])).toThrow("'arm/state' and 'camera' would both be published as 'arm/state'");
  expect(() => plan([], ["camera=a//b"])).toThrow("has an empty part");
});

test("names of ROS 2 lose their slash, and what the bus does not know is published as bytes", () => {
  const foreign = [
    { ...json("/arm/state"), encoding: "cdr", schemaEncoding: "ros2msg", definition: "float64 x" },
    { ...json("/tf"), encoding: "cdr", schemaEncoding: "ros2idl", definition: "module x {}" },
    { ...json("/points"), encoding: "protobuf", schemaEncoding: "protobuf" },
    { ...json("/fb"), encoding: "flatbuffer", schemaEncoding: "flatbuffer" },
    { ...json("/bad"), encoding: "cdr", schemaEncoding: "ros2msg", definition: "no message ][" },
  ];
  const { names, notes } = planTopics(foreign, { patterns: [], remaps: [] });
  expect([...names.values()]).toEqual(["arm/state", "tf", "points", "fb", "bad"]);
  expect(notes).toEqual([
    "'/tf' is published as bytes: its definition is in 'ros2idl', not in ros2msg",
    expect.stringMatching("'/points' is published as bytes: its definition cannot be used: .*FileDescriptorSet"),
    "'/fb' is published as bytes: the encoding 'flatbuffer' is not known",
    expect.stringContaining("'/bad' is published as bytes: its definition cannot be used: "),
  ]);
});

test("moments are seconds, durations or times", () => {
  expect(parseMoment("12.5")).toEqual({ kind: "offset", ns: 12_500_000_000n });
  expect(parseMoment("1m30s")).toEqual({ kind: "offset", ns: 90_000_000_000n });
  expect(parseMoment("2026-11-26T12:00:00Z")).toEqual({ kind: "time", ns: 1_795_694_400_000_000_000n });
  for (const odd of ["", "soon", "1x", "-3", "2026-11", "m"]) expect(parseMoment(odd)).toBeNull();
});

test("Protocol Buffers are played with their descriptors", () => {
  const definition = Buffer.from(ARM_STATE_DESCRIPTORS).toString("base64");
  const described = { encoding: "protobuf", definition, definitionName: "demo.ArmState" };
  expect(describedChannel({ topic: "arm/state", schemaEncoding: "protobuf", ...described })).toEqual({ ...described, note: null });
});
