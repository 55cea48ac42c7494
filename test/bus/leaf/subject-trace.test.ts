import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import type { SubjectTrace } from "../../../src/bus/broker/trace/subject-trace.ts";
import { LeafRig, until } from "./leaf-rig.ts";

const SUBJECT = "topic.arm.state";
const linkOf = (trace: SubjectTrace, name: string) => trace.links.find((link) => link.name === name);

test("the trace of a subject counts it at each broker on its way, and knows when a link is cut", async () => {
  await using rig = await LeafRig.start("the manager's broker");
  const [one, two] = [await rig.leaf("one"), await rig.leaf("two")];
  const viewer = await two.bus("viewer");
  let heard = 0;
  viewer.subscribe(SUBJECT, () => heard++);
  await rig.known(viewer, one);
  for (let n = 0; n < 20; n++) one.port.publish(SUBJECT, "x");
  await until(() => heard === 20);
  expect(one.broker.trace(SUBJECT)).toMatchObject({ published: 20, received: 0, links: [{ name: "hub", is_up: true, dropped: 0 }] });
  expect(rig.hub?.trace(SUBJECT)).toMatchObject({ published: 0, received: 20, subscribers: [] });
  expect(two.broker.trace(SUBJECT)).toMatchObject({
    received: 20,
    subscribers: [{ delivered: 20, dropped: 0, waiting: 0, hidden: false }],
  });
  expect(
    rig.hub
      ?.trace(SUBJECT)
      .links.map(({ name }) => name)
      .sort(),
  ).toEqual(["host:one", "host:two"]);
  await two.cut();
  expect(linkOf(two.broker.trace(SUBJECT), "hub")).toMatchObject({ is_up: false });
  expect(linkOf(one.broker.trace(SUBJECT), "hub")).toMatchObject({ is_up: true });
});

test("a link that does not read counts what it loses of the subject, and nothing of others", async () => {
  await using rig = await LeafRig.start("the manager's broker");
  const one = await rig.leaf("one", { maxPending: 64 * 1024 });
  const viewer = await rig.hubBus("viewer");
  viewer.subscribe("topic.>", () => {});
  await rig.known(viewer, one);
  one.hold("stalled");
  const fat = Buffer.alloc(8 * 1024);
  await until(() => {
    one.port.publish(SUBJECT, fat);
    return (linkOf(one.broker.trace(SUBJECT), "hub")?.dropped ?? 0) > 0;
  });
  expect(linkOf(one.broker.trace("topic.other"), "hub")).toMatchObject({ is_up: true, dropped: 0 });
  one.flow();
});

test("a subscriber that does not read counts what it loses of the subject, and a refused subscription is remembered", async () => {
  const broker = createBroker({ maxPending: 64 * 1024 });
  const port = await broker.listenTcp({
    host: "127.0.0.1",
    port: 0,
    authenticate: () => ({ subscribe: (subject) => subject !== "topic.secret" }),
  });
  const socket: Socket = connect(port, "127.0.0.1");
  socket.pause();
  try {
    socket.write(`CONNECT {}\r\nSUB ${SUBJECT} 1\r\nSUB topic.secret 2\r\n`);
    await until(() => broker.trace(SUBJECT).subscribers.length === 1 && broker.trace("topic.secret").refused.length === 1);
    expect(broker.trace("topic.secret").subscribers).toEqual([]);
    const publisher = broker.port();
    const fat = Buffer.alloc(8 * 1024);
    await until(() => {
      for (let n = 0; n < 100; n++) publisher.publish(SUBJECT, fat);
      return (broker.trace(SUBJECT).subscribers[0]?.dropped ?? 0) > 0;
    });
    expect(broker.trace("topic.other").subscribers).toEqual([]);
  } finally {
    socket.destroy();
    await broker.close();
  }
});
