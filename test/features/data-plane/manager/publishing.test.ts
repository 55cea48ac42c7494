import { expect, it } from "vitest";
import { permissionsOf } from "../../../../src/bus/broker/permissions.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { TopicPublishing } from "../../../../src/features/data-plane/manager/topics/topic-publishing.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { RegistryRig } from "../../../bus/registry/registry-rig.ts";
import { DataPlaneRig } from "./data-plane-rig.ts";

const POINT = "float64 x\nint8[2] y\n";
const GOAL = JSON.stringify({ title: "Goal", type: "object", properties: { x: { type: "number" } }, required: ["x"] });

it("a user publishes a topic that no client publishes, encoded by its definition; it is shown as a topic of the user", async () => {
  await using rig = await DataPlaneRig.start();
  const robot = await rig.client("hub", "robot");
  const received: [string, string, string | undefined][] = [];
  robot.subscribe("topic.arm.>", {
    callback: (_error, message) =>
      void received.push([message.subject, Buffer.from(message.data).toString("hex"), message.headers?.get("Mgr-Seq")]),
  });
  await robot.flush();
  const publish = (message: { name: string; value: unknown; definition?: string; definition_name?: string }) =>
    rig.dataPlane.publishTopic(message, "ada");
  // Until the manager knows of the subscription.
  await expect.poll(() => publish({ name: "arm/first", value: 0 })).toEqual({ subscribers: 1 });
  expect(await publish({ name: "arm/goal", value: { x: 0.5 }, definition: GOAL })).toEqual({ subscribers: 1 });
  expect(await publish({ name: "arm/goal", value: { x: 1 }, definition: GOAL })).toEqual({ subscribers: 1 });
  expect(await publish({ name: "arm/point", value: { x: 1, y: [2, -1] }, definition: POINT, definition_name: "p/msg/P" })).toEqual({
    subscribers: 1,
  });
  await expect
    .poll(() => received.filter(([subject]) => subject !== "topic.arm.first"))
    .toEqual([
      ["topic.arm.goal", Buffer.from('{"x":0.5}').toString("hex"), "1"],
      ["topic.arm.goal", Buffer.from('{"x":1}').toString("hex"), "2"],
      ["topic.arm.point", "00010000000000000000f03f02ff", "1"],
    ]);
  await expect.poll(() => rig.topic("arm/point")).toMatchObject({ publisher: "@ada", message_definition: "p/msg/P" });
  expect(rig.topic("arm/goal")).toMatchObject({ publisher: "@ada", message_definition: "Goal" });
  // Another definition replaces the first one.
  await publish({ name: "arm/goal", value: "home" });
  await expect.poll(() => received.at(-1)?.[1]).toBe(Buffer.from('"home"').toString("hex"));
});

it("a value that does not fit, and a topic that another client or user publishes, are refused in words", async () => {
  await using rig = await DataPlaneRig.start();
  const registered = await rig.client(rig.one, "arm/controller", ["arm/state"]);
  const plain = await rig.connect(rig.two, "plain");
  plain.publish("topic.arm.raw", "1");
  await expect
    .poll(() =>
      rig.dataPlane
        .topics()
        .map(({ name }) => name)
        .sort(),
    )
    .toEqual(["arm/raw", "arm/state"]);
  const publish = (name: string, value: unknown, definition?: string, by = "ada") =>
    rig.dataPlane.publishTopic({ name, value, ...(definition === undefined ? {} : { definition }) }, by);
  const conflict = (words: string) => ({ code: "conflict", message: expect.stringContaining(words) });
  await expect(publish("arm/state", 1)).rejects.toMatchObject(conflict("client 'arm/controller' of host 'one' publishes 'arm/state'"));
  await expect(publish("arm/raw", 1)).rejects.toMatchObject(conflict("client 'plain' of host 'two'"));
  const bad = (words: string) => ({ code: "bad_field", message: expect.stringContaining(words) });
  await expect(publish("arm/goal", { x: "far" }, GOAL)).rejects.toMatchObject(bad("definition: x: expected number"));
  await expect(publish("arm/color", { r: 1, g: 0, b: 0 }, "foxglove.Color")).rejects.toMatchObject(bad("definition: a: expected number"));
  await expect(publish("arm/color", {}, "foxglove.Colour")).rejects.toMatchObject(bad("did you mean 'foxglove.Color'"));
  await expect(publish("arm/goal", { x: "far" }, POINT)).rejects.toMatchObject(bad("x must be a number of type float64"));
  await expect(publish("arm/goal", {}, "no message!")).rejects.toMatchObject(bad("not a ROS 2 message"));
  await expect(publish("arm//goal", {})).rejects.toMatchObject(bad("empty part"));
  await publish("arm/goal", { x: 1 }, GOAL);
  await expect(publish("arm/goal", 2, undefined, "bob")).rejects.toMatchObject(conflict("publishes 'arm/goal'"));
  // What the client gives up is free.
  await registered.close();
  await expect.poll(() => publish("arm/state", 1).catch((error: Error) => error.message)).toEqual({ subscribers: 0 });
});

it("a user keeps a topic for 10 s after the last message, and is a client until the last topic is released", async () => {
  await using rig = await RegistryRig.start();
  const clock = new SimulatedClock();
  const publishing = new TopicPublishing({
    tables: { topic: () => null, subscribers: () => [] },
    clock,
    log: new LogBook({ capacity: 10, now: () => clock.now() }),
    connect: (user) => {
      const permissions = permissionsOf({ kind: "client", name: `@${user}` });
      return connectBus({ server: { kind: "memory", broker: rig.broker, permissions }, name: user });
    },
  });
  const publish = (name: string, by: string) => publishing.publish({ name, value: 1 }, by);
  const reserved = () =>
    rig.registry
      .tables()
      .topics.filter((topic) => topic.reserved)
      .map(({ name }) => name)
      .sort();
  await publish("arm/first", "ada");
  await clock.advance(6_000);
  await publish("arm/second", "ada");
  await clock.advance(3_999);
  expect(reserved()).toEqual(["arm/first", "arm/second"]);
  await expect(publish("arm/first", "bob")).rejects.toMatchObject({ code: "conflict" });
  await clock.advance(1);
  await expect.poll(reserved).toEqual(["arm/second"]);
  expect(rig.client$("@ada")).toBeDefined();
  // A message restarts the time.
  await publish("arm/second", "ada");
  await clock.advance(9_999);
  expect(reserved()).toEqual(["arm/second"]);
  await clock.advance(1);
  await expect.poll(() => rig.client$("@ada")).toBeUndefined();
  await expect.poll(reserved).toEqual([]);
  await publish("arm/first", "bob");
  expect(reserved()).toEqual(["arm/first"]);
  publishing.close();
  await expect.poll(() => rig.client$("@bob")).toBeUndefined();
});
