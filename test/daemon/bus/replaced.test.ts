import { connect as connectTcp } from "node:net";
import { Svcm } from "@nats-io/services";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, describe, expect, it } from "vitest";
import type { HandedOver } from "../../../src/base/handed-over.ts";
import { type Broker, createBroker } from "../../../src/bus/broker/broker.ts";
import type { ByteStream } from "../../../src/bus/carriers/byte-stream.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { hubDial } from "../../../src/bus/client/hub-dial.ts";
import { noBusFiles } from "../../../src/daemon/bus/bus-files.ts";
import { HostBus, type HostBusOptions } from "../../../src/daemon/bus/host-bus.ts";
import { RawClient } from "../../bus/bus-rig.ts";
import { exec, handedOver } from "../../bus/handover/next-program.ts";
import { until } from "../../bus/leaf/leaf-rig.ts";
import { register } from "../../bus/registry/registry-rig.ts";
import { seededRandom } from "../../support/random.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Clients without a library answer no PING; and however slow the machine is, there is time to log in. */
const PATIENT = { pingIntervalMs: 600_000, authTimeoutMs: 600_000 };

async function open(taken?: HandedOver, options: Partial<HostBusOptions> = {}): Promise<HostBus> {
  const bus = await HostBus.open({ host: "rt1", files: noBusFiles(), log: () => {}, broker: PATIENT, taken, ...options });
  cleanups.push(() => bus.close());
  return bus;
}

/** The bus of the program that replaces the one of `bus`. */
const replaced = async (bus: HostBus, options?: Partial<HostBusOptions>) => open(await handedOver(bus), options);

async function visit(url: string, name: string): Promise<NatsConnection> {
  const { host, username: token } = new URL(url);
  const connection = await connect({ servers: host, token, name, reconnect: false });
  cleanups.push(() => connection.close());
  return connection;
}

const client = (bus: HostBus, name: string) => visit(bus.begin(name, name), name);

/** A client without a library that has logged in; it reads only while `socket` flows. */
async function raw(bus: HostBus, name: string, options: object = {}): Promise<RawClient> {
  const one = await RawClient.connect({ host: "127.0.0.1", port: bus.port });
  cleanups.push(() => one.close());
  const token = new URL(bus.begin(name, name)).username;
  one.send(`CONNECT ${JSON.stringify({ auth_token: token, verbose: false, pedantic: false, headers: true, ...options })}\r\nPING\r\n`);
  await one.until((text) => text.endsWith("PONG\r\n"));
  one.received = Buffer.alloc(0);
  return one;
}

/** The numbers that messages of these topics carry, as they arrive. */
function numbersOf(connection: NatsConnection, subject: string): Map<string, number[]> {
  const heard = new Map<string, number[]>();
  connection.subscribe(subject, {
    callback: (_error, message) => {
      const known = heard.get(message.subject);
      const number = Number(message.string());
      if (known === undefined) heard.set(message.subject, [number]);
      else known.push(number);
    },
  });
  return heard;
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("a bus whose program was replaced", () => {
  it("serves the programs that are connected, and new ones at its port with the tokens that their runs have", async () => {
    const bus = await open();
    const url = bus.begin("1-9", "late");
    const [arm, eye] = [await client(bus, "arm"), await client(bus, "eye")];
    const heard = numbersOf(arm, "topic.>");
    await arm.flush();
    eye.publish("topic.a", "0");
    await eye.flush();
    const next = await replaced(bus);
    eye.publish("topic.a", "1");
    await eye.flush();
    const late = await visit(url, "late");
    late.publish("topic.b", "0");
    await late.flush();
    await arm.flush();
    expect([...heard]).toEqual([
      ["topic.a", [0, 1]],
      ["topic.b", [0]],
    ]);
    expect(next.port).toBe(bus.port);
    expect(next.broker.stats().clients.map(({ id, user }) => [id, user])).toEqual([
      [2, "client:arm"],
      [3, "client:eye"],
      [expect.any(Number), "client:late"],
    ]);
    next.end("eye");
    expect(await eye.closed()).toMatchObject({ message: expect.stringMatching(/revoked/i) });
  });

  it("loses no sample of five topics, and sends none twice, to a fast and to a slow subscriber, with a message and a call under way", async () => {
    let bus = await open();
    const count = 400;
    const publishers = await Promise.all(upTo(5).map((n) => client(bus, `p${n}`)));
    const fast = await client(bus, "fast");
    const heard = numbersOf(fast, "topic.>");
    const slow = await raw(bus, "slow");
    slow.send("SUB topic.> 1\r\nPING\r\n");
    await slow.until((text) => text.includes("PONG"));
    slow.socket.pause();
    const camera = await raw(bus, "camera");
    const image = Buffer.alloc(64 * 1024, "x");
    // A service that answers only after the program was replaced, to an inbox of a client that was connected before.
    let isCalled = false;
    let answer = () => {};
    fast.subscribe("slow.call", {
      callback: (_error, message) => {
        isCalled = true;
        answer = () => message.respond("done");
      },
    });
    await fast.flush();
    const call = publishers[0]?.request("slow.call", "", { timeout: 60_000 });
    await until(() => isCalled);
    camera.send(`PUB topic.image ${image.length}\r\n`);
    camera.send(image.subarray(0, 30_000));
    const publish = async (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        for (const [index, publisher] of publishers.entries()) publisher.publish(`topic.t${index}`, String(n));
        if (n % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const load = publish(0, count);
    for (let exec = 0; exec < 3; exec++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      bus = await replaced(bus);
    }
    await load;
    camera.send(image.subarray(30_000));
    camera.send("\r\nPING\r\n");
    await camera.until((text) => text.includes("PONG"));
    answer();
    expect((await call)?.string()).toBe("done");
    for (const publisher of publishers) await publisher.flush();
    await fast.flush();
    expect(Object.fromEntries(heard)).toEqual({
      ...Object.fromEntries(upTo(5).map((n) => [`topic.t${n}`, upTo(count)])),
      "topic.image": [Number.NaN],
    });
    slow.socket.resume();
    const isWhole = (all: string) => (all.match(/MSG topic\.t\d 1 \d+\r\n\d+\r\n/g)?.length ?? 0) >= 5 * count;
    const text = await slow.until((all) => isWhole(all) && all.includes(image.toString()));
    for (const n of upTo(5)) {
      const numbers = [...text.matchAll(new RegExp(`MSG topic.t${n} 1 \\d+\\r\\n(\\d+)\\r\\n`, "g"))].map(([, number]) => Number(number));
      expect(numbers).toEqual(upTo(count));
    }
    expect(text.split(image.toString())).toHaveLength(2);
    const { dropped_msgs } = bus.broker.stats();
    expect(dropped_msgs).toBe(0);
  });

  it("sends a client that stopped reading everything that was written, in the kernel's buffers, in this program's and in the queue", async () => {
    const bus = await open();
    const [slow, source] = [await raw(bus, "slow"), await raw(bus, "source")];
    slow.send("SUB topic.> 1\r\nPING\r\n");
    await slow.until((text) => text.includes("PONG"));
    slow.socket.pause();
    // More than the kernel takes on loopback, and less than the queue's limit.
    slow.received = Buffer.alloc(0);
    const { bytesRead } = slow.socket;
    const body = "y".repeat(20_000);
    const count = 600;
    for (const n of upTo(count)) source.send(`PUB topic.${n % 7} ${body.length + 6}\r\n${String(n).padStart(6, "0")}${body}\r\n`);
    source.send("PING\r\n");
    await source.until((text) => text.includes("PONG"));
    slow.send("PING\r\n");
    const waiting = ({ broker }: HostBus) => broker.stats().clients.find(({ user }) => user === "client:slow")?.pending_bytes;
    expect(waiting(bus)).toBeGreaterThan(1_000_000);
    const next = await replaced(bus);
    expect(waiting(next)).toBeGreaterThan(1_000_000);
    expect(next.broker.stats().dropped_msgs).toBe(0);
    slow.socket.resume();
    const expected = bytesRead + count * (body.length + "MSG topic.0 1 20006\r\n000000\r\n".length) + "PONG\r\n".length;
    await until(() => slow.socket.bytesRead >= expected);
    const { text } = slow;
    expect(text.endsWith("PONG\r\n")).toBe(true);
    const numbers = [...text.matchAll(/MSG topic\.\d 1 20006\r\n(\d{6})y{20000}\r\n/g)].map(([, number]) => Number(number));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(count));
    for (const topic of upTo(7)) expect(numbers.filter((n) => n % 7 === topic)).toEqual(upTo(count).filter((n) => n % 7 === topic));
  });

  it("reads the protocol on from any byte", async () => {
    const random = seededRandom();
    const stream = Buffer.concat([
      ...["SUB topic.a 1\r\n", "sub  other.* group\t2 \r\n", "UNSUB 2 2\r\n"].map((line) => Buffer.from(line)),
      ...upTo(40).map((n) => {
        const body = String(n).repeat(1 + Math.floor(random() * (random() < 0.2 ? 9_000 : 20)));
        const head = "NATS/1.0\r\nN: 1\r\n\r\n";
        const choice = Math.floor(random() * 5);
        if (choice === 0) return Buffer.from(`HPUB topic.a ${head.length} ${head.length + body.length}\r\n${head}${body}\r\n`);
        if (choice === 1) return Buffer.from(`PUB topic.a back.${n} ${body.length}\r\n${body}\r\n`);
        if (choice === 2) return Buffer.from(`PING\r\nPUB other.b ${body.length}\r\n${body}\r\n`);
        return Buffer.from(`pub\ttopic.a  ${body.length} \r\n${body}\r\n`);
      }),
      Buffer.from("PUB end 0\r\n\r\n"),
    ]);
    const received = async (cuts: readonly number[]) => {
      let bus = await open();
      const one = await raw(bus, "one", { no_responders: false });
      const watcher = await client(bus, "watcher");
      const isDone = new Promise<void>((resolve) => watcher.subscribe("end", { callback: () => resolve() }));
      await watcher.flush();
      let at = 0;
      for (const cut of cuts) {
        one.send(stream.subarray(at, cut));
        at = cut;
        // The bytes have left this program; the broker may not have read them.
        while (one.socket.writableLength > 0) await new Promise((resolve) => setImmediate(resolve));
        bus = random() < 0.5 ? await replaced(bus) : await open(exec(bus));
      }
      one.send(stream.subarray(at));
      await isDone;
      one.send("PING\r\n");
      const pongs = stream.toString("latin1").split("PING\r\n").length;
      const text = await one.until((all) => all.split("PONG\r\n").length === pongs + 1);
      await bus.close();
      return text;
    };
    const whole = await received([]);
    for (const _ of upTo(12)) {
      const cuts = upTo(3)
        .map(() => 1 + Math.floor(random() * (stream.length - 1)))
        .sort((a, b) => a - b);
      expect(await received(cuts), `cut at ${cuts.join(", ")}`).toBe(whole);
    }
  });

  it("knows clients, topics, kept messages, counters, services and refusals as before", async () => {
    const bus = await open();
    const [arm, eye] = [await client(bus, "arm"), await client(bus, "eye")];
    const topics = [{ name: "arm/state", encoding: "json", definition: '{"title":"State","type":"object"}', keep_last: true, priority: 3 }];
    expect(await register(arm, { name: "arm", pid: 7, topics })).toMatchObject({ ok: true });
    const instance = await new Svcm(arm).add({ name: "mover", version: "1.0.0", metadata: { name: "arm/move", interface: "Move" } });
    instance.addEndpoint("call", { subject: "svc.arm.move.call", handler: (_error, message) => void message.respond("moved") });
    eye.subscribe("topic.eye.>", { callback: () => {} });
    for (const n of upTo(50)) arm.publish("topic.arm.state", JSON.stringify({ n }), { headers: withHeader("Mgr-Seq", String(n + 1)) });
    eye.publish("topic.eye.raw", "1");
    await Promise.all([arm.flush(), eye.flush()]);
    await until(() => bus.registry.tables().services[0]?.endpoints.length === 1);
    // The rates change whenever the counters are read, also between two looks (test/bus/registry/rates.test.ts).
    const untimed = ({
      counters: { at: _at, rate: _rate, bytes_rate: _bytesRate, ...counters },
      ...topic
    }: ReturnType<HostBus["registry"]["tables"]>["topics"][number]) => ({ ...topic, counters });
    const tables = ({ registry }: HostBus) => ({ ...registry.tables(), topics: registry.tables().topics.map(untimed) });
    const before = tables(bus);
    const subjects = ({ broker }: HostBus) => broker.subjects().filter(({ subject }) => subject !== "$MGR.kept");
    const counted = subjects(bus);
    const next = await replaced(bus);
    expect(tables(next)).toEqual(before);
    expect(subjects(next)).toEqual(counted);
    const late = await client(next, "late");
    const kept = new Promise<string>((resolve) =>
      late.subscribe("topic.arm.state", {
        callback: (_error, message) =>
          resolve(`${message.headers?.get("Mgr-Last")} ${message.headers?.get("Mgr-Seq")} ${message.string()}`),
      }),
    );
    expect(await kept).toBe('1 50 {"n":49}');
    expect(await register(late, { name: "late", topics })).toMatchObject({
      problems: [{ code: "conflict", message: expect.stringContaining("'arm'") }],
    });
    expect((await late.request("svc.arm.move.call")).string()).toBe("moved");
    arm.publish("topic.arm.state", "{}");
    await arm.flush();
    expect(next.registry.tables().topics[0]).toMatchObject({ counters: { packets: 51 } });
    await arm.close();
    await until(() => next.registry.tables().services.length === 0);
    expect(next.registry.tables().topics.map(({ name }) => name)).toEqual(["eye/raw"]);
  });

  it("ends a subscription after the number of messages that the client asked for, counted over both programs", async () => {
    const bus = await open();
    const [one, other] = [await raw(bus, "one"), await client(bus, "other")];
    one.send("SUB a 1\r\nUNSUB 1 3\r\nSUB b 2\r\nPING\r\n");
    await one.until((text) => text.includes("PONG"));
    for (const _ of upTo(2)) other.publish("a", "x");
    await other.flush();
    await replaced(bus);
    for (const _ of upTo(2)) other.publish("a", "x");
    other.publish("b", "last");
    const text = await one.until((all) => all.includes("last"));
    expect(text.split("MSG a")).toHaveLength(4);
  });

  it("reads nothing of its programs until recordings run, and serves one that had not logged in", async () => {
    const bus = await open();
    const [arm, eye] = [await client(bus, "arm"), await client(bus, "eye")];
    const heard = numbersOf(arm, "topic.>");
    await arm.flush();
    const guest = connectTcp(bus.port, "127.0.0.1");
    cleanups.push(() => guest.destroy());
    await new Promise((resolve) => guest.once("data", resolve));
    const token = new URL(bus.begin("guest", "guest")).username;
    const next = await replaced(bus, { isHeld: true });
    eye.publish("topic.a", "0");
    const flushed = eye.flush();
    guest.write(`CONNECT {"auth_token":"${token}","verbose":false}\r\nPUB topic.b 1\r\n7\r\nPING\r\n`);
    // What waits is there to be read by now.
    await visitHeld(next);
    expect(next.broker.subjects().filter(({ subject }) => subject.startsWith("topic."))).toEqual([]);
    next.admit();
    await flushed;
    await new Promise((resolve) => guest.once("data", resolve));
    await arm.flush();
    expect(Object.fromEntries(heard)).toEqual({ "topic.a": [0], "topic.b": [7] });
  });

  it("goes on after an exec that failed", async () => {
    const bus = await open();
    const [arm, eye] = [await client(bus, "arm"), await client(bus, "eye")];
    const heard = numbersOf(arm, "topic.>");
    await arm.flush();
    await bus.quiet();
    eye.publish("topic.a", "0");
    const flushed = eye.flush();
    const late = client(bus, "late");
    await until(() => bus.broker.stats().clients.length === 3);
    bus.handOver();
    bus.resume();
    await flushed;
    (await late).publish("topic.a", "1");
    await (await late).flush();
    await arm.flush();
    expect(heard.get("topic.a")).toEqual([0, 1]);
  });

  it("links to its hub again, and counts what the hub missed meanwhile", async () => {
    const hub: Broker = createBroker();
    cleanups.push(() => hub.close());
    const tools = await connectBus({ server: { kind: "memory", broker: hub }, name: "tools" });
    cleanups.push(() => tools.close());
    const heard: string[] = [];
    tools.subscribe("topic.a", ({ data }) => void heard.push(Buffer.from(data).toString()));
    await tools.flush();
    const dialed = hubDial({ server: { kind: "memory", broker: hub } });
    const streams: ByteStream[] = [];
    const hubOf = (mayDial: Promise<void>) => () => ({
      ...dialed,
      stream: async (signal: AbortSignal) => {
        await mayDial;
        const stream = await dialed.stream(signal);
        streams.push(stream);
        return stream;
      },
    });
    const bus = await open(undefined, { hub: hubOf(Promise.resolve()) });
    bus.follow({ hub: "manager", max_payload: 2_000_000, memory: null });
    const linkOf = ({ broker }: HostBus) => broker.stats().links[0];
    await until(() => linkOf(bus)?.is_up === true && (linkOf(bus)?.theirs ?? 0) > 1);
    const arm = await client(bus, "arm");
    arm.publish("topic.a", "0");
    await until(() => heard.length === 1);
    let dial = () => {};
    const mayDial = new Promise<void>((resolve) => {
      dial = resolve;
    });
    const taken = await handedOver(bus);
    // The exec closes the link, and the program that is gone does not dial again.
    const closed = bus.close();
    for (const stream of streams) stream.destroy();
    await closed;
    const next = await open(taken, { hub: hubOf(mayDial) });
    arm.publish("topic.a", "1");
    await arm.flush();
    dial();
    await until(() => linkOf(next)?.is_up === true);
    expect(linkOf(next)).toMatchObject({ missed_msgs: 1, missed_bytes: 1, out_msgs: 1, lost_out_msgs: 0, lost_in_msgs: 0, connections: 2 });
    arm.publish("topic.a", "2");
    await until(() => heard.length === 2);
    expect(heard).toEqual(["0", "2"]);
    expect(hub.stats().links).toMatchObject([{ missed_in_msgs: 1, in_msgs: 2, connections: 2 }]);
  });
});

/** Waits until the bus has accepted a connection that came later. */
async function visitHeld(bus: HostBus): Promise<void> {
  const { clients } = bus.broker.stats();
  const late = await RawClient.connect({ host: "127.0.0.1", port: bus.port });
  cleanups.push(() => late.close());
  expect(bus.broker.stats().clients).toHaveLength(clients.length + 1);
}

function withHeader(name: string, value: string) {
  const all = headers();
  all.set(name, value);
  return all;
}
