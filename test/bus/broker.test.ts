import { headers } from "@nats-io/nats-core";
import { describe, expect, it } from "vitest";
import { BusRig } from "./bus-rig.ts";

const text = (data: Uint8Array) => Buffer.from(data).toString();

describe.each(["unix", "memory"] as const)("the broker with the official client, over %s", (kind) => {
  const join = (rig: BusRig, name: string) => (kind === "unix" ? rig.bus(name) : rig.memoryBus(name));

  it("delivers a message to every subscriber, in the order of publishing", async () => {
    await using rig = await BusRig.start();
    const [publisher, one, two] = await Promise.all([join(rig, "publisher"), join(rig, "one"), join(rig, "two")]);
    const seen: string[][] = [[], []];
    one.subscribe("greetings", (message) => seen[0]?.push(text(message.data)));
    two.subscribe("greetings", (message) => seen[1]?.push(text(message.data)));
    await Promise.all([one.flush(), two.flush()]);
    for (let n = 0; n < 100; n++) publisher.publish("greetings", `hello ${n}`);
    await publisher.flush();
    await Promise.all([one.flush(), two.flush()]);
    const expected = Array.from({ length: 100 }, (_, n) => `hello ${n}`);
    expect(seen).toEqual([expected, expected]);
  });

  it("carries requests and answers, with headers, empty and binary payloads", async () => {
    await using rig = await BusRig.start();
    const [asker, server] = await Promise.all([join(rig, "asker"), join(rig, "server")]);
    server.connection.subscribe("mirror", {
      callback: (_error, message) => void message.respond(message.data, message.headers ? { headers: message.headers } : {}),
    });
    await server.flush();
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const sent = headers();
    sent.append("Colour", "blue");
    sent.append("Colour", "grün");
    const answer = await asker.connection.request("mirror", every, { timeout: 2_000, headers: sent });
    expect(Buffer.from(answer.data)).toEqual(Buffer.from(every));
    expect(answer.headers?.values("Colour")).toEqual(["blue", "grün"]);
    expect((await asker.connection.request("mirror", "", { timeout: 2_000 })).data).toHaveLength(0);
  });

  it("carries a payload of exactly the limit, and its client refuses more", async () => {
    await using rig = await BusRig.start();
    const bus = await join(rig, "large");
    const arrived = new Promise<Uint8Array>((resolve) => bus.subscribe("large", (message) => resolve(message.data)));
    const payload = Buffer.alloc(1024 * 1024, "0123456789abcdef");
    bus.publish("large", payload);
    expect(Buffer.from(await arrived).equals(payload)).toBe(true);
    expect(() => bus.publish("large", Buffer.alloc(payload.length + 1))).toThrow(/over the bus limit/);
  });

  it("gives each message of a queue group to one member, and to all who are not in it", async () => {
    await using rig = await BusRig.start();
    const [publisher, one, two, all] = await Promise.all(["publisher", "one", "two", "all"].map((name) => join(rig, name)));
    if (!publisher || !one || !two || !all) throw new Error("no bus");
    const counts = { one: 0, two: 0, all: 0 };
    one.subscribe("work.*", () => counts.one++, { queue: "workers" });
    two.subscribe("work.>", () => counts.two++, { queue: "workers" });
    all.subscribe("work.heavy", () => counts.all++);
    await Promise.all([one, two, all].map((bus) => bus.flush()));
    for (let n = 0; n < 400; n++) publisher.publish("work.heavy", "x");
    await publisher.flush();
    await Promise.all([one, two, all].map((bus) => bus.flush()));
    expect(counts.one + counts.two).toBe(400);
    expect(counts.all).toBe(400);
    // Chosen at random: neither starves (the chance of fewer than 100 of 400 is below 1e-20).
    expect(Math.min(counts.one, counts.two)).toBeGreaterThan(100);
  });

  it("says at once that nobody answers", async () => {
    await using rig = await BusRig.start();
    const bus = await join(rig, "asker");
    await expect(bus.connection.request("nobody", "", { timeout: 10_000 })).rejects.toThrow(/no responders/i);
    await expect(bus.request("nobody", "", { timeoutMs: 10_000 })).rejects.toMatchObject({ code: "host_unavailable" });
  });

  it("ends a subscription after its maximum and loses nothing on drain", async () => {
    await using rig = await BusRig.start();
    const [publisher, reader] = await Promise.all([join(rig, "publisher"), join(rig, "reader")]);
    let limited = 0;
    const subscription = reader.connection.subscribe("ticks", { max: 3, callback: () => void limited++ });
    let drained = 0;
    reader.connection.subscribe("drained", { callback: () => void drained++ });
    await reader.flush();
    for (let n = 0; n < 10; n++) publisher.publish("ticks", "");
    for (let n = 0; n < 1_000; n++) publisher.publish("drained", "");
    await publisher.flush();
    await reader.connection.drain();
    expect(limited).toBe(3);
    expect(subscription.isClosed()).toBe(true);
    expect(drained).toBe(1_000);
    expect(rig.broker.stats().clients.map((client) => client.name)).not.toContain("reader");
  });

  it("returns a client's own messages to it", async () => {
    await using rig = await BusRig.start();
    const bus = await join(rig, "both");
    let seen = 0;
    bus.subscribe("own", () => seen++);
    bus.publish("own", "");
    await bus.flush();
    expect(seen).toBe(1);
  });
});
