import { headers } from "@nats-io/nats-core";
import { describe, expect, it } from "vitest";
import { CARRIERS, openCarrier } from "./carriers.ts";

const text = (data: Uint8Array) => Buffer.from(data).toString();
const changeTo = (bus: { onConnection(listener: (isUp: boolean) => void): unknown }, wanted: boolean) =>
  new Promise<void>((resolve) => bus.onConnection((isUp) => isUp === wanted && resolve()));

// What everybody may rely on, whatever carries the bus.
describe.each(CARRIERS)("the bus over %s", (name) => {
  it("delivers a message to every subscriber, in the order of publishing", async () => {
    await using carrier = await openCarrier(name);
    const [publisher, one, two] = await Promise.all([carrier.bus("publisher"), carrier.bus("one"), carrier.bus("two")]);
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
    await using carrier = await openCarrier(name);
    const [asker, server] = await Promise.all([carrier.bus("asker"), carrier.bus("server")]);
    server.connection.subscribe("mirror", {
      callback: (_error, message) => void message.respond(message.data, message.headers ? { headers: message.headers } : {}),
    });
    await server.flush();
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const sent = headers();
    sent.append("Colour", "blue");
    sent.append("Colour", "grün");
    const answer = await asker.connection.request("mirror", every, { timeout: 60_000, headers: sent });
    expect(Buffer.from(answer.data)).toEqual(Buffer.from(every));
    expect(answer.headers?.values("Colour")).toEqual(["blue", "grün"]);
    expect((await asker.connection.request("mirror", "", { timeout: 60_000 })).data).toHaveLength(0);
  });

  it("matches wildcards by tokens", async () => {
    await using carrier = await openCarrier(name);
    const bus = await carrier.bus("both");
    const seen: string[] = [];
    for (const pattern of ["a.*", "a.>", "*.b", ">", "a.b", "a.*.c"])
      bus.subscribe(pattern, ({ subject }) => !subject.startsWith("_INBOX") && seen.push(`${pattern} ${subject}`));
    for (const subject of ["a.b", "a.b.c", "a", "x.b"]) bus.publish(subject, "");
    await bus.flush();
    expect(seen.sort()).toEqual(
      ["a.* a.b", "a.> a.b", "*.b a.b", "> a.b", "a.b a.b", "a.> a.b.c", "> a.b.c", "a.*.c a.b.c", "> a", "*.b x.b", "> x.b"].sort(),
    );
  });

  it("carries a payload of exactly the limit, and refuses more", async () => {
    await using carrier = await openCarrier(name);
    const bus = await carrier.bus("large");
    const arrived = new Promise<Uint8Array>((resolve) => bus.subscribe("large", (message) => resolve(message.data)));
    const payload = Buffer.alloc(1024 * 1024, "0123456789abcdef");
    expect(bus.connection.info?.max_payload).toBe(payload.length);
    bus.publish("large", payload);
    expect(Buffer.from(await arrived).equals(payload)).toBe(true);
    expect(() => bus.publish("large", Buffer.alloc(payload.length + 1))).toThrow(/over the bus limit/);
  });

  it("gives each message to one member of a queue group, and to all other subscribers", async () => {
    await using carrier = await openCarrier(name);
    const [publisher, one, two, all] = await Promise.all(["publisher", "one", "two", "all"].map((each) => carrier.bus(each)));
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

  it("reports at once that there is no responder", async () => {
    await using carrier = await openCarrier(name);
    const bus = await carrier.bus("asker");
    await expect(bus.connection.request("nobody", "", { timeout: 60_000 })).rejects.toThrow(/no responders/i);
    await expect(bus.request("nobody", "", { timeoutMs: 60_000 })).rejects.toMatchObject({ code: "host_unavailable" });
  });

  it("ends a subscription after its maximum and loses nothing on drain", async () => {
    await using carrier = await openCarrier(name);
    const [publisher, reader] = await Promise.all([carrier.bus("publisher"), carrier.bus("reader")]);
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
  });

  it("returns a client's own messages to it", async () => {
    await using carrier = await openCarrier(name);
    const bus = await carrier.bus("both");
    let seen = 0;
    bus.subscribe("own", () => seen++);
    bus.publish("own", "");
    await bus.flush();
    expect(seen).toBe(1);
  });

  it("carries a hundred megabytes both ways at once without losing or reordering any", async () => {
    await using carrier = await openCarrier(name);
    const [left, right] = await Promise.all([carrier.bus("left"), carrier.bus("right")]);
    const messages = 800;
    const payload = Buffer.alloc(64 * 1024);
    const received = { left: 0, right: 0 };
    const complete = (side: "left" | "right", bus: typeof left, subject: string) =>
      new Promise<void>((resolve, reject) =>
        bus.subscribe(subject, ({ data }) => {
          if (Buffer.from(data.buffer, data.byteOffset, 4).readUInt32BE() !== received[side]) reject(new Error("out of order"));
          if (++received[side] === messages) resolve();
        }),
      );
    const done = Promise.all([complete("left", left, "to.left"), complete("right", right, "to.right")]);
    await Promise.all([left.flush(), right.flush()]);
    const send = async (bus: typeof left, subject: string, reader: typeof left) => {
      for (let n = 0; n < messages; n++) {
        const bytes = Buffer.from(payload);
        bytes.writeUInt32BE(n);
        bus.publish(subject, bytes);
        // What was sent has arrived at the broker, and from there at the reader, which would lose what is 8 MiB behind.
        if (n % 16 === 15) {
          await bus.flush();
          await reader.flush();
        }
      }
    };
    await Promise.all([send(left, "to.right", right), send(right, "to.left", left), done]);
    expect(received).toEqual({ left: messages, right: messages });
  });
});

describe.each(CARRIERS.filter((name) => name !== "in process"))("a connection over %s", (name) => {
  it("reconnects by itself, with its subscriptions, and reports what was not sent meanwhile", async () => {
    await using carrier = await openCarrier(name);
    const bus = await carrier.bus("faithful");
    const seen: string[] = [];
    bus.subscribe("news", (message) => seen.push(text(message.data)));
    for (let round = 0; round < 2; round++) {
      const lost = changeTo(bus, false);
      const back = changeTo(bus, true);
      bus.subscribe(`silence.${round}`, () => {});
      await bus.flush();
      const unanswered = bus.request(`silence.${round}`, "", { timeoutMs: 60_000 });
      unanswered.catch(() => {});
      await carrier.end();
      await lost;
      await expect(unanswered).rejects.toMatchObject({ code: "host_unavailable" });
      expect(() => bus.publish("news", "lost")).toThrow(/is down; news was not sent/);
      await carrier.begin();
      await back;
      bus.publish("news", `round ${round}`);
      await bus.flush();
    }
    expect(seen).toEqual(["round 0", "round 1"]);
  });

  it("waits for a server that does not run yet, unless waiting is turned off", async () => {
    await using carrier = await openCarrier(name);
    await carrier.end();
    await expect(carrier.bus("hasty", { waitForBroker: false })).rejects.toMatchObject({ code: "host_unavailable" });
    const connecting = carrier.bus("patient");
    await carrier.begin();
    expect((await connecting).isConnected).toBe(true);
  });
});
