import { headers } from "@nats-io/nats-core";
import { describe, expect, it } from "vitest";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { HUBS, LeafRig, type TestLeaf, until } from "./leaf-rig.ts";

const text = (data: Uint8Array) => Buffer.from(data).toString();

/** What `bus` hears of `subject`, from now on. */
function hear(bus: Bus, subject: string, queue?: string): string[] {
  const heard: string[] = [];
  bus.subscribe(subject, ({ data }) => heard.push(text(data)), queue === undefined ? {} : { queue });
  return heard;
}

function publish(bus: Bus, subject: string, count: number): void {
  for (let n = 0; n < count; n++) bus.publish(subject, `${n}`);
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

/** Two hosts, and a program on each. */
async function twoHosts(rig: LeafRig) {
  const [a, b] = [await rig.leaf("a"), await rig.leaf("b")];
  return { a, b, onA: await a.bus("on a"), onB: await b.bus("on b") };
}

/** Resolves when messages that were published before on `from` have reached `to`, which are programs elsewhere. */
async function arrived(rig: LeafRig, from: Bus, to: Bus, leaf: TestLeaf): Promise<void> {
  const subject = `end.${Math.random()}`.replace("0.", "");
  const end = new Promise<void>((resolve) => to.subscribe(subject, () => resolve()));
  await rig.known(to, leaf);
  from.publish(subject, "");
  await end;
}

describe.each(HUBS)("hosts linked by %s", (hub) => {
  it("deliver within a host what only it needs, and nothing of it crosses the link", async () => {
    await using rig = await LeafRig.start(hub);
    const a = await rig.leaf("a");
    const [one, two] = [await a.bus("one"), await a.bus("two")];
    const heard = hear(two, "topic.arm.>");
    await two.flush();
    const crossed = await rig.crossing(a, async () => {
      publish(one, "topic.arm.state", 100);
      await one.flush();
      await two.flush();
    });
    expect(heard).toEqual(numbers(100));
    expect(crossed).toEqual({ out: 0, in: 0 });
  });

  it("deliver across hosts, to and from clients of the hub, in order, with headers and any bytes", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, b, onA, onB } = await twoHosts(rig);
    const onHub = await rig.hubBus("on the hub");
    const heard = [hear(onB, "topic.x"), hear(onHub, "topic.x")];
    const back = hear(onA, "topic.back");
    await rig.known(onB, a);
    await rig.known(onHub, a, b);
    await rig.known(onA, b, onHub);
    publish(onA, "topic.x", 200);
    publish(onB, "topic.back", 3);
    await until(() => heard.every((list) => list.length === 200) && back.length === 3);
    publish(onHub, "topic.back", 3);
    await until(() => back.length === 6);
    expect(heard).toEqual([numbers(200), numbers(200)]);
    expect(back).toEqual([...numbers(3), ...numbers(3)]);

    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const sent = headers();
    sent.append("Mgr-Seq", "1");
    const message = new Promise<{ data: Uint8Array; seq: string | undefined }>((resolve) =>
      onB.connection.subscribe("bytes", { callback: (_error, { data, headers }) => resolve({ data, seq: headers?.get("Mgr-Seq") }) }),
    );
    await rig.known(onB, a);
    onA.publish("bytes", bytes, { headers: sent });
    expect(await message).toEqual({ data: Buffer.from(bytes), seq: "1" });
  });

  it("send a message over a link once, whatever the number of subscribers, and only while there is one", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, b, onA, onB } = await twoHosts(rig);
    const others = [await b.bus("other 1"), await b.bus("other 2")];
    const heard = [hear(onB, "topic.x"), hear(onB, "topic.*"), ...others.map((bus) => hear(bus, "topic.x"))];
    const subscription = onB.subscribe("brief", () => {});
    for (const bus of [...others, onB]) await rig.known(bus, a);
    const once = await rig.crossing(a, async () => {
      publish(onA, "topic.x", 100);
      publish(onA, "topic.unwanted.deep", 100);
      await until(() => heard.every((list) => list.length === 100));
    });
    expect(once.out).toBe(100);
    subscription.unsubscribe();
    const end = hear(onB, "end");
    await rig.known(onB, a);
    const after = await rig.crossing(a, async () => {
      publish(onA, "brief", 10);
      onA.publish("end", "");
      await until(() => end.length === 1);
    });
    expect(after.out).toBe(1);
  });

  it("announce each distinct interest once, and withdraw it with the last subscriber", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, b, onA, onB } = await twoHosts(rig);
    const other = await b.bus("other");
    await other.flush();
    await rig.known(onB, a);
    const before = b.stats.ours;
    const subscriptions = [onB, onB, other].map((bus) => bus.subscribe("topic.same", () => {}));
    await Promise.all([onB.flush(), other.flush()]);
    expect(b.stats.ours).toBe(before + 1);
    for (const subscription of subscriptions.slice(1)) subscription.unsubscribe();
    await Promise.all([onB.flush(), other.flush()]);
    expect(b.stats.ours).toBe(before + 1);
    subscriptions[0]?.unsubscribe();
    await onB.flush();
    expect(b.stats.ours).toBe(before);
    await rig.known(onB, a);
    expect(a.port.publish("topic.same", "")).toBe(false);
    await onA.flush();
  });

  it("prefer members of a queue group on the same host, then those of the hub, then others; each message goes to one", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, b, onA, onB } = await twoHosts(rig);
    const onHub = await rig.hubBus("on the hub");
    const local = onA.subscribe("work", () => {}, { queue: "q" });
    const heardA = hear(onA, "work", "q");
    const heardHub = hear(onHub, "work", "q");
    const heardB = hear(onB, "work", "q");
    await rig.known(onA, b, onHub);
    await rig.known(onHub, a, b);
    await rig.known(onB, a, onHub);
    local.unsubscribe();
    await onA.flush();
    const crossed = await rig.crossing(a, async () => {
      publish(onA, "work", 50);
      await until(() => heardA.length === 50);
    });
    expect(crossed.out).toBe(0);
    publish(onHub, "work", 50);
    await until(() => heardHub.length === 50);
    publish(onB, "work", 50);
    await until(() => heardB.length === 50);
    expect([heardA.length, heardHub.length, heardB.length]).toEqual([50, 50, 50]);
    const late = await rig.leaf("c");
    const onC = await late.bus("on c");
    await rig.known(onHub, late);
    publish(onC, "work", 50);
    await until(() => heardA.length + heardHub.length + heardB.length === 200);
    await arrived(rig, onC, onA, late);
    expect([heardA.length, heardHub.length, heardB.length]).toEqual([50, 100, 50]);
  });

  it("bring requests to services of other hosts, and answers back", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, onA, onB } = await twoHosts(rig);
    const onHub = await rig.hubBus("on the hub");
    onB.subscribe("svc.add.two", ({ data, reply }) => reply && onB.publish(reply, `${Number(text(data)) + 2}`), { queue: "q" });
    for (const bus of [onA, onB]) bus.subscribe("$SRV.PING", ({ reply }) => reply && bus.publish(reply, bus.name));
    await rig.known(onB, a, onHub);
    await rig.known(onA, onHub);
    for (const bus of [onA, onHub])
      for (const n of [1, 40]) expect(text((await bus.request("svc.add.two", `${n}`, { timeoutMs: 60_000 })).data)).toBe(`${n + 2}`);
    const answers: string[] = [];
    onHub.subscribe("_INBOX.many.1", ({ data }) => answers.push(text(data)));
    onHub.publish("$SRV.PING", "", { reply: "_INBOX.many.1" });
    await until(() => answers.length === 2);
    expect(answers.sort()).toEqual(["on a", "on b"]);
  });

  it("report at once to a request that no host has responders", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, onA, onB } = await twoHosts(rig);
    const ask = () => onA.request("svc.x", "", { timeoutMs: 60_000 });
    await expect(ask()).rejects.toMatchObject({ code: "host_unavailable" });
    const service = onB.subscribe("svc.x", ({ reply }) => reply && onB.publish(reply, "here"), { queue: "q" });
    await rig.known(onB, a);
    expect(text((await ask()).data)).toBe("here");
    service.unsubscribe();
    await rig.known(onB, a);
    await expect(ask()).rejects.toMatchObject({ code: "host_unavailable" });
  });

  it("continue separately when a link is cut, count what the others miss, and reconnect when it is restored", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, onA, onB } = await twoHosts(rig);
    const local = hear(await a.bus("local"), "topic.x");
    const remote = hear(onB, "topic.x");
    const late: string[] = [];
    await rig.known(onB, a);
    await a.cut();
    publish(onA, "topic.x", 10);
    await until(() => local.length === 10);
    expect(a.stats).toMatchObject({ is_up: false, missed_msgs: 10 });
    await expect(onA.request("svc.x", "", { timeoutMs: 60_000 })).rejects.toMatchObject({ code: "host_unavailable" });
    onA.subscribe("topic.new", ({ data }) => late.push(text(data)));
    await onA.flush();
    await a.heal();
    await rig.known(onB, a);
    const [, b] = rig.leaves;
    if (!b) throw new Error("no host b");
    await rig.known(onA, b);
    publish(onA, "topic.x", 3);
    publish(onB, "topic.new", 2);
    await until(() => remote.length === 3 && late.length === 2);
    expect(local).toHaveLength(13);
    expect(a.stats).toMatchObject({ is_up: true, missed_msgs: 10, connections: 2 });
  });

  it("count at both ends what a breaking link loses", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, onA, onB } = await twoHosts(rig);
    const remote = hear(onB, "topic.x");
    await rig.known(onB, a);
    publish(onA, "topic.x", 5);
    await until(() => remote.length === 5);
    a.hold("lost");
    publish(onA, "topic.x", 7);
    await onA.flush();
    await a.cut();
    await a.heal();
    await rig.known(onB, a);
    publish(onA, "topic.x", 1);
    await until(() => remote.length === 6);
    if (rig.hub === null) {
      // nats-server does not tell what it has received: all that it has not confirmed may be lost.
      expect(a.stats.unconfirmed_msgs).toBeGreaterThanOrEqual(7);
      return;
    }
    expect(a.stats).toMatchObject({ lost_out_msgs: 7, lost_in_msgs: 0, unconfirmed_msgs: 0 });
    expect(rig.hub.stats().links.find(({ name }) => name === "host:a")).toMatchObject({ lost_in_msgs: 7, lost_out_msgs: 0 });
  });

  it("drop and count what a slow link cannot carry, and nothing of what stays on the host", async () => {
    await using rig = await LeafRig.start(hub);
    const a = await rig.leaf("a", { maxPending: 64 * 1024 });
    const b = await rig.leaf("b");
    const [onA, onB] = [await a.bus("on a"), await b.bus("on b")];
    const local = hear(await a.bus("local"), "topic.x");
    const remote = hear(onB, "topic.x");
    await rig.known(onB, a);
    a.hold("stalled");
    for (let n = 0; n < 100; n++) {
      onA.publish("topic.x", Buffer.alloc(4_096));
      // The local subscriber's own queue has the same bound.
      await until(() => local.length === n + 1);
    }
    const { dropped_msgs: dropped } = a.stats;
    expect(dropped).toBeGreaterThan(50);
    // Beside the queue, what the connection was given in advance.
    expect(a.stats.pending_bytes).toBeLessThan(110 * 1024);
    expect(rig.logged.join("\n")).toMatch(/a warning: the hub .* does not read fast enough and loses messages/);
    a.flow();
    await until(() => remote.length === 100 - dropped);
    onA.publish("topic.x", "again");
    await until(() => remote.at(-1) === "again");
  });

  it("count what was published elsewhere for a host that was cut off, at the hub and, when it is back, on that host", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, b, onA, onB } = await twoHosts(rig);
    const remote = hear(onB, "topic.x");
    hear(onB, "other.x");
    await rig.known(onB, a);
    await b.cut();
    if (rig.hub === null) {
      // nats-server withdraws the interest of a leaf that is gone: nothing leaves the publisher's host.
      await until(() => !a.port.publish("topic.x", "probe"));
      return;
    }
    await until(() => rig.hub?.stats().links.find(({ name }) => name === "host:b")?.is_up === false);
    publish(onA, "topic.x", 500);
    const missed = () => rig.hub?.stats().links.find(({ name }) => name === "host:b")?.missed_msgs ?? 0;
    await until(() => missed() >= 500);
    // Requests to a host without a connection fail at once.
    await until(() => !a.port.publish("other.x", ""));
    const before = missed();
    await b.heal();
    await rig.known(onB, a);
    await expect.poll(() => b.stats.missed_in_msgs).toBe(before);
    publish(onA, "topic.x", 20);
    await until(() => remote.at(-1) === "19");
    expect(remote.slice(-20)).toEqual(numbers(20));
    expect(missed()).toBe(before);
    // The interest is withdrawn with the last subscriber.
    await onB.close();
    await until(() => !a.port.publish("topic.x", ""));
  });

  it("do not delay a topic for another: commands beside a large topic all arrive over a slow link, before the backlog, and the large one counts its losses", async () => {
    await using rig = await LeafRig.start(hub);
    const a = await rig.leaf("a", { maxPending: 256 * 1024 });
    const b = await rig.leaf("b");
    const [fat, commander, onB] = [await a.bus("camera"), await a.bus("commander"), await b.bus("on b")];
    const heard: string[] = [];
    onB.subscribe("topic.command", ({ data }) => heard.push(text(data)));
    onB.subscribe("topic.camera", () => heard.push("image"));
    await rig.known(onB, a);
    a.hold("stalled");
    for (let n = 0; n < 100; n++) {
      for (let m = 0; m < 5; m++) fat.publish("topic.camera", Buffer.alloc(20_000));
      commander.publish("topic.command", `${n}`);
      await Promise.all([fat.flush(), commander.flush()]);
    }
    const { dropped_msgs: dropped, dropped_bytes: bytes } = a.stats;
    expect(dropped).toBeGreaterThan(400);
    expect(bytes).toBe(dropped * 20_000);
    a.flow();
    await until(() => heard.length === 600 - dropped);
    expect(heard.filter((one) => one !== "image")).toEqual(numbers(100));
    // What waited in the queue goes by turns: the last command does not stand behind the images.
    expect(heard.length - heard.indexOf("99")).toBeGreaterThan(5);
  });

  it("survive the end of the hub: programs of a host do not notice it, and hosts reconnect when the hub is back", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, b, onA, onB } = await twoHosts(rig);
    const local = hear(await a.bus("local"), "topic.x");
    const remote = hear(onB, "topic.x");
    await rig.known(onB, a);
    await rig.endHub();
    await until(() => !a.stats.is_up && !b.stats.is_up);
    publish(onA, "topic.x", 20);
    await until(() => local.length === 20);
    await rig.beginHub();
    await Promise.all([a.linked(), b.linked()]);
    await rig.known(onB, a);
    publish(onA, "topic.x", 5);
    await until(() => remote.length === 5);
    expect(local).toHaveLength(25);
  });

  it("refuse a second link to the same broker: no message loops", async () => {
    await using rig = await LeafRig.start(hub);
    const { a, b, onA, onB } = await twoHosts(rig);
    const second = b.linkFrom(a);
    const heard = hear(onB, "topic.x");
    await until(() => /leads back to this broker|Loop detected/.test(rig.logged.join("\n")));
    // Whatever way is left, a message arrives at most once: one that went round would come again and again.
    publish(onA, "topic.x", 10);
    for (let n = 0; n < 10; n++) await Promise.all([onA.flush(), onB.flush()]);
    expect(new Set(heard).size).toBe(heard.length);
    await second.close();
  });
});
