import { headers } from "@nats-io/nats-core";
import { Svcm } from "@nats-io/services";
import { expect, it } from "vitest";
import { permissionsOf } from "../../../../src/bus/broker/permissions.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { DataPlaneRig } from "./data-plane-rig.ts";

it("clients and topics of all hosts and of the manager's own broker are shown, with who publishes and who subscribes", async () => {
  await using rig = await DataPlaneRig.start();
  const driver = await rig.client(rig.one, "driver", ["arm/state"]);
  const viewer = await rig.connect(rig.two, "viewer");
  viewer.subscribe("topic.arm.state");
  viewer.subscribe("topic.>");
  await rig.client("hub", "tool", ["tool/state"]);
  driver.publish("topic.arm.state", "12345");
  await expect.poll(() => rig.topic("arm/state")).toMatchObject({ subscribers: 2, published_packets: 1 });
  expect(rig.topic("arm/state")).toEqual({
    name: "arm/state",
    publisher: "driver",
    publisher_host: "one",
    subscribers: 2,
    publisher_rate: expect.any(Number),
    published_packets: 1,
    message_definition: "",
    message_size: 5,
    dropped_packets: 0,
    problem: null,
    limits: [],
  });
  await expect.poll(() => rig.clientNamed("viewer")?.subscribed_topics).toEqual(["arm/state", "tool/state"]);
  expect(rig.clientNamed("viewer")).toMatchObject({ host: "two", published_topics: [] });
  expect(rig.clientNamed("driver")).toMatchObject({ host: "one", published_topics: ["arm/state"] });
  // It came over loopback: its host is the manager's.
  expect(rig.clientNamed("tool")).toMatchObject({ host: "one", published_topics: ["tool/state"] });
});

it("a client has the address of its machine as seen by the manager, with the port of its connection", async () => {
  await using rig = await DataPlaneRig.start();
  await rig.connect(rig.one, "near");
  await rig.connect(rig.two, "far");
  await rig.client("hub", "direct");
  const inside = { kind: "memory", broker: rig.hub, permissions: permissionsOf({ kind: "client", name: "@ada" }) } as const;
  const bus = await connectBus({ server: inside, name: "inside" });
  await expect
    .poll(() => rig.dataPlane.clients().map(({ name }) => name))
    .toEqual(expect.arrayContaining(["near", "far", "direct", "inside"]));
  expect(rig.clientNamed("inside")?.address, "without a socket there is no port").toBe("127.0.0.1:0");
  await bus.close();
  expect(rig.clientNamed("near")?.address).toMatch(/^127\.0\.0\.1:[1-9]\d*$/);
  expect(rig.clientNamed("far")?.address).toMatch(/^10\.0\.0\.7:[1-9]\d*$/);
  expect(rig.clientNamed("direct")?.address).toMatch(/^127\.0\.0\.1:[1-9]\d*$/);
});

it("the size of a message does not count the headers of the bus", async () => {
  await using rig = await DataPlaneRig.start();
  const driver = await rig.client(rig.one, "driver", ["arm/state"]);
  const more = headers();
  more.set("Mgr-Seq", "7");
  driver.publish("topic.arm.state", "12345", { headers: more });
  await expect.poll(() => rig.topic("arm/state")).toMatchObject({ published_packets: 1, message_size: 5 });
});

it("the events add up to the snapshot, and ids are not reused", async () => {
  await using rig = await DataPlaneRig.start();
  const first = await rig.client(rig.two, "driver", ["arm/state"]);
  await expect.poll(() => rig.clientNamed("driver")?.published_topics).toEqual(["arm/state"]);
  const { id } = rig.clientNamed("driver") ?? {};
  await new Svcm(first).add({ name: "arm", version: "1.0.0" });
  await expect.poll(() => rig.dataPlane.services().map(({ name }) => name)).toEqual(["arm"]);
  expect(rig.clientNamed("driver")?.provided_services).toEqual(["arm"]);
  await first.close();
  await expect.poll(() => [...rig.dataPlane.clients(), ...rig.dataPlane.topics(), ...rig.dataPlane.services()]).toEqual([]);
  await rig.client(rig.two, "driver", ["arm/state"]);
  await expect.poll(() => rig.clientNamed("driver")?.published_topics).toEqual(["arm/state"]);
  expect(rig.clientNamed("driver")?.id).toBeGreaterThan(id ?? Number.POSITIVE_INFINITY);

  const shown = { clients: new Map<number, object>(), topics: new Map<string, object>(), services: new Map<string, object>() };
  for (const event of rig.events) {
    if (event.type === "client_upsert") shown.clients.set(event.client.id, event.client);
    else if (event.type === "client_remove") expect(shown.clients.delete(event.id)).toBe(true);
    else if (event.type === "topic_upsert") shown.topics.set(event.topic.name, event.topic);
    else if (event.type === "topic_remove") expect(shown.topics.delete(event.name)).toBe(true);
    else if (event.type === "service_upsert") shown.services.set(event.service.name, event.service);
    else if (event.type === "service_remove") expect(shown.services.delete(event.name)).toBe(true);
  }
  expect([...shown.clients.values()]).toEqual(rig.dataPlane.clients());
  expect([...shown.topics.values()]).toEqual(rig.dataPlane.topics());
  expect([...shown.services.values()]).toEqual(rig.dataPlane.services());
});

it("lost events are detected by the next heartbeat", async () => {
  await using rig = await DataPlaneRig.start();
  await rig.client(rig.two, "known", ["a"]);
  await expect.poll(() => rig.topic("a")).toBeDefined();
  rig.two.isDeaf = true;
  await rig.client(rig.two, "unseen", ["b"]);
  // Numbered when it is told, which happens a little later.
  await expect.poll(() => rig.two.bus.registry.tables().topics.length).toBe(2);
  rig.two.bus.registry.flush();
  rig.two.isDeaf = false;
  rig.two.host.announce();
  await expect.poll(() => rig.topic("b")?.publisher).toBe("unseen");
  expect(rig.topic("a")?.publisher).toBe("known");
});

it("a lost host keeps its clients without rates; those that ended meanwhile are removed when it is back, and the others keep their ids", async () => {
  await using rig = await DataPlaneRig.start();
  await rig.client(rig.two, "stays", ["a"]);
  const goes = await rig.client(rig.two, "goes", ["b"]);
  await expect.poll(() => rig.topic("a") && rig.topic("b")).toBeDefined();
  const before = rig.clientNamed("stays");
  rig.two.cut(true);
  await expect.poll(() => rig.engine.control.state.hosts().map(({ state }) => state)).toEqual(["ready", "lost"]);
  expect(rig.topic("a")).toMatchObject({ publisher: "stays", publisher_rate: 0 });
  await goes.close();
  expect(rig.topic("b")).toBeDefined();
  rig.two.cut(false);
  await expect.poll(() => rig.topic("b")).toBeUndefined();
  expect(rig.clientNamed("stays")).toEqual(before);
});

it("if two hosts publish one topic, the later one is refused, which is shown and logged, until the first one ends", async () => {
  await using rig = await DataPlaneRig.start();
  const first = await rig.client(rig.one, "first", ["arm/state"]);
  await expect.poll(() => rig.topic("arm/state")?.publisher).toBe("first");
  const later = await rig.client(rig.two, "later", ["arm/state"]);
  await expect.poll(() => rig.topic("arm/state")?.problem).toMatch(/also published by client 'later' of host 'two'.*refused/);
  expect(rig.log.entries().filter(({ level, msg }) => level === "warning" && msg.includes("topic 'arm/state'"))).toHaveLength(1);
  await expect.poll(() => rig.two.bus.registry.tables().topics).toMatchObject([{ lost: true }]);
  later.publish("topic.arm.state", "mine");
  await later.flush();
  expect(rig.two.bus.registry.tables().topics).toMatchObject([{ counters: { packets: 0 } }]);
  await first.close();
  await expect.poll(() => rig.topic("arm/state")).toMatchObject({ publisher: "later", publisher_host: "two", problem: null });
  await expect.poll(() => rig.two.bus.registry.tables().topics).toMatchObject([{ lost: false }]);
  later.publish("topic.arm.state", "mine");
  await expect.poll(() => rig.topic("arm/state")?.published_packets).toBe(1);
});
