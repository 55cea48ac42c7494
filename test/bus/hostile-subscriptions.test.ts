import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Broker, type BrokerOptions, createBroker } from "../../src/bus/broker/broker.ts";
import { permissionsOf } from "../../src/bus/broker/permissions.ts";
import { RawClient } from "./bus-rig.ts";
import { HUBS, LeafRig, type TestLeaf, until } from "./leaf/leaf-rig.ts";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

// Many thousand subscriptions take minutes while other programs have the processors.
vi.setConfig({ testTimeout: 600_000 });

const MIB = 1024 * 1024;
const QUIET = 'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"auth_token":"TOKEN"}\r\n';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Programs log in with their name as the token. */
async function listen(broker: Broker): Promise<number> {
  const authenticate = ({ token }: { token: string | null }) => permissionsOf({ kind: "client", name: token ?? "" });
  return broker.listenTcp({ host: "127.0.0.1", port: 0, authenticate });
}

async function brokerOnTcp(options: BrokerOptions = {}): Promise<{ broker: Broker; port: number }> {
  // Everything runs in this one process, so that a client may wait long for its turn.
  const broker = createBroker({ authTimeoutMs: 600_000, ...options });
  open.push(broker);
  return { broker, port: await listen(broker) };
}

async function program(port: number, name: string): Promise<RawClient> {
  const client = await RawClient.connect({ host: "127.0.0.1", port });
  open.push(client);
  client.send(QUIET.replace("TOKEN", name));
  return client;
}

/** A program that uses the official library; it must not be cut off. */
async function honest(port: number, name: string): Promise<NatsConnection> {
  const connection = await connect({ servers: `127.0.0.1:${port}`, token: name, reconnect: false, timeout: 600_000 });
  open.push(connection);
  return connection;
}

const subscriptions = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `SUB ${line(n)}\r\n`).join("");

/** Everything sent so far was processed. Returns what the broker said meanwhile. */
async function settle(client: RawClient): Promise<string> {
  const from = client.received.length;
  client.send("PING\r\n");
  const text = await client.until((all) => all.indexOf("PONG\r\n", from) >= 0);
  expect(client.isClosed).toBe(false);
  return text.slice(from);
}

function refusals(text: string): string[] {
  return text.match(/-ERR '.*'/g) ?? [];
}

function heapAfterGc(): number {
  gc();
  return process.memoryUsage().heapUsed;
}

describe("subjects of excessive size", () => {
  it("6,000 subscriptions of 4 KB and 2,000 tokens are refused, with the subject cut, and cost no memory", async () => {
    const { broker, port } = await brokerOnTcp();
    const attacker = await program(port, "attacker");
    await settle(attacker);
    const before = heapAfterGc();
    const fat = "a".repeat(1_000).split("").join(".");
    for (let n = 0; n < 6_000; n++) attacker.send(`SUB x${n}.${fat}.${fat} ${n}\r\n`);
    const said = refusals(await settle(attacker));
    expect(said).toHaveLength(6_000);
    expect(said[5_999]).toMatch(
      /^-ERR 'Permissions Violation for Subscription to "x5999\.a[.a]{30,100}\.\.\.": the subject has 4005 bytes; at most 1024 are allowed'$/,
    );
    expect(broker.stats().subscriptions).toBe(0);
    attacker.received = Buffer.alloc(0);
    expect(heapAfterGc() - before).toBeLessThan(32 * MIB);
  });

  it.each([
    ["SUB $ 1", "Subscription to"],
    ["SUB $ q 1", "Subscription to"],
    ["PUB $ 0\r\n", "Publish to"],
    ["PUB a $ 0\r\n", "Publish with Reply of"],
    ["HPUB $ 12 12\r\nNATS/1.0\r\n\r\n", "Publish to"],
  ])("%s with 65 tokens is refused, with 64 it is not", async (line, what) => {
    const { port } = await brokerOnTcp();
    const client = await program(port, "one");
    const tokens = (count: number) => Array(count).fill("a").join(".");
    client.send(`${line.replace("$", tokens(64))}\r\n`);
    expect(refusals(await settle(client))).toEqual([]);
    client.send(`${line.replace("$", tokens(65))}\r\n`);
    const said = refusals(await settle(client));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`Permissions Violation for ${what} "a.a.`);
    expect(said[0]).toContain("the subject has 65 tokens; at most 64 are allowed");
  });

  it("a subject of 1,024 bytes is allowed, one of 1,025 and a longer name of a queue group are not", async () => {
    const { broker, port } = await brokerOnTcp();
    const client = await program(port, "one");
    client.send(`SUB ${"s".repeat(1_024)} 1\r\nSUB ${"s".repeat(1_025)} 2\r\nSUB a ${"q".repeat(1_025)} 3\r\n`);
    expect(refusals(await settle(client))).toHaveLength(2);
    expect(broker.stats().subscriptions).toBe(1);
  });

  it("close no connection of the official client", async () => {
    const { port } = await brokerOnTcp();
    const client = await honest(port, "one");
    const fat = Array(100).fill("a").join(".");
    client.subscribe(fat, { callback: () => {} });
    client.publish(fat);
    client.publish("a", "", { reply: fat });
    await client.flush();
    expect(client.isClosed()).toBe(false);
  });

  it("are refused in the interest and messages of a leaf, and the link stays", async () => {
    await using rig = await LeafRig.start("the manager's broker");
    const raw = await RawClient.connect({ host: "127.0.0.1", port: rig.port });
    open.push(raw);
    const fat = Array(65).fill("a").join(".");
    raw.send(`CONNECT {"verbose":false,"server_id":"EVIL","name":"evil","headers":true,"auth_token":"host-evil"}\r\nPING\r\n`);
    await raw.until((text) => text.includes("PONG"));
    raw.send(`LS+ ${fat}\r\nLS+ ${fat} q 3\r\nLS+ $LDS.${fat}\r\nLMSG ${fat} 1\r\nx\r\nLMSG a ${fat} 1\r\nx\r\n`);
    const said = refusals(await settle(raw));
    expect(said).toHaveLength(5);
    for (const each of said) expect(each).toContain("tokens; at most 64 are allowed");
    expect(rig.hub?.stats().subscriptions).toBe(0);
  });
});

describe("limits of subscriptions", () => {
  it("bound the bytes of one connection", async () => {
    const { broker, port } = await brokerOnTcp({ maxSubscriptionBytes: 10_000 });
    const client = await program(port, "one");
    for (let n = 0; n < 20; n++) client.send(`SUB ${"s".repeat(900)}.${n} ${n}\r\n`);
    const said = refusals(await settle(client));
    expect(said[0]).toContain("the subscriptions of one connection may take at most 10000 bytes");
    expect(broker.stats().subscriptions).toBe(20 - said.length);
    expect(broker.stats().subscriptions).toBeLessThan(10);
  });

  it("bound all connections of one program together", async () => {
    const { broker, port } = await brokerOnTcp({ maxProgramSubscriptions: 10 });
    const connections = [await program(port, "one"), await program(port, "one"), await program(port, "two")];
    for (const [index, client] of connections.entries()) {
      for (let n = 0; n < 6; n++) client.send(`SUB s.${index}.${n} ${n}\r\n`);
      const said = refusals(await settle(client));
      expect(said).toHaveLength(index === 1 ? 2 : 0);
    }
    expect(broker.stats().subscriptions).toBe(16);
    // What a connection held is free once it is closed.
    connections[0]?.close();
    await until(() => broker.stats().subscriptions === 10);
    connections[1]?.send("SUB again 9\r\n");
    expect(refusals(await settle(connections[1] as RawClient))).toEqual([]);
  });

  it("end the newest subscription of the program that has most when all together have too many", async () => {
    const { broker, port } = await brokerOnTcp({ maxClientsSubscriptions: 20 });
    const greedy = await program(port, "greedy");
    for (let n = 0; n < 25; n++) greedy.send(`SUB g.${n} ${n}\r\n`);
    expect(refusals(await settle(greedy))).toHaveLength(5);
    const modest = await honest(port, "modest");
    const heard: string[] = [];
    for (let n = 0; n < 5; n++) modest.subscribe(`m.${n}`, { callback: (_error, { subject }) => void heard.push(subject) });
    await modest.flush();
    expect(broker.stats().subscriptions).toBe(20);
    const said = refusals(await settle(greedy));
    const evicted = [19, 18, 17, 16, 15].map(
      (n) => `-ERR 'Permissions Violation for Subscription to "g.${n}": the clients of this host may have at most 20 subscriptions'`,
    );
    expect(refusals(greedy.text).slice(5)).toEqual(evicted);
    expect(said.length).toBeLessThanOrEqual(5);
    for (let n = 0; n < 5; n++) modest.publish(`m.${n}`);
    await modest.flush();
    expect(heard).toEqual([0, 1, 2, 3, 4].map((n) => `m.${n}`));
    // What was refused stays refused when there is room again.
    for (let n = 0; n < 5; n++) greedy.send(`UNSUB ${n}\r\n`);
    await settle(greedy);
    expect(broker.stats().subscriptions).toBe(15);
  });
});

describe("a queue group of 20,000 members", () => {
  it("is bounded for a connection, a program and all, and each of 20 messages goes to one member at once", async () => {
    const { broker, port } = await brokerOnTcp();
    const attacker = await program(port, "attacker");
    attacker.send(subscriptions(20_000, (n) => `work q ${n}`));
    const said = refusals(await settle(attacker));
    expect(said[0]).toBe(
      `-ERR 'Permissions Violation for Subscription to "work" using queue "q": one connection may be at most 1000 members of a queue group'`,
    );
    expect(broker.stats().subscriptions).toBe(1_000);
    const second = await program(port, "attacker");
    const third = await program(port, "attacker");
    for (const each of [second, third]) {
      for (let n = 0; n < 1_000; n++) each.send(`SUB work q ${n}\r\n`);
      await settle(each);
    }
    expect(refusals(third.text)[0]).toContain("one program may be at most 2000 members of a queue group");
    attacker.received = Buffer.alloc(0);
    const publisher = await program(port, "publisher");
    for (let n = 0; n < 20; n++) publisher.send("PUB work 1\r\nx\r\n");
    await settle(publisher);
    await settle(attacker);
    await settle(second);
    expect(`${attacker.text}${second.text}`.match(/^MSG work/gm)).toHaveLength(20);
    // A member that goes makes room.
    attacker.send("UNSUB 0\r\nSUB work q 0\r\n");
    expect(refusals(await settle(attacker))).toHaveLength(0);
  });

  it("lets the event loop run while 20,000 members of as many groups get a message", async () => {
    const { port } = await brokerOnTcp();
    const attacker = await program(port, "attacker");
    attacker.send(subscriptions(20_000, (n) => `work q${n} ${n}`));
    await settle(attacker);
    const publisher = await program(port, "publisher");
    attacker.received = Buffer.alloc(0);
    const size = 2 * Array.from({ length: 20_000 }, (_, n) => `MSG work ${n} 1\r\nx\r\n`).join("").length;
    const turns = turnsUntil(() => attacker.received.length >= size);
    publisher.send("PUB work 1\r\nx\r\nPUB work 1\r\ny\r\n");
    expect(await turns).toBeGreaterThan(2);
    expect(attacker.text.match(/^MSG work/gm)).toHaveLength(40_000);
  });
});

/** Turns of the event loop until the condition holds, which is checked once in each. */
async function turnsUntil(condition: () => boolean): Promise<number> {
  let turns = 0;
  for (; !condition(); turns++) await new Promise((resolve) => setImmediate(resolve));
  return turns;
}

describe("50,000 subscribers of one subject", () => {
  it("get each message once, in order, while others are served between the slices", async () => {
    const { broker, port } = await brokerOnTcp();
    const attacker = await program(port, "attacker");
    attacker.send(subscriptions(50_000, (n) => `fat ${n}`));
    await settle(attacker);
    attacker.received = Buffer.alloc(0);
    const publisher = await honest(port, "publisher");
    const other = await honest(port, "other");
    other.subscribe("ask", { callback: (_error, message) => void message.respond("yes") });
    await other.flush();
    let answers = 0;
    publisher.publish("fat", "1");
    publisher.publish("fat", "2");
    // Asked on another connection, whose input is not held by the message.
    const asker = await honest(port, "asker");
    while (broker.stats().out_msgs < 100_000) {
      await asker.request("ask", "", { timeout: 600_000 });
      answers++;
    }
    expect(answers).toBeGreaterThan(1);
    const size = 2 * Array.from({ length: 50_000 }, (_, n) => `MSG fat ${n} 1\r\n1\r\n`).join("").length;
    await until(() => attacker.received.length === size);
    expect(
      attacker.text
        .match(/\r\n[12]\r\n/g)
        ?.join("")
        .replaceAll("\r\n", ""),
    ).toBe("1".repeat(50_000) + "2".repeat(50_000));
  });
});

describe("a program that leaves many subscriptions", () => {
  it("has all of them again at once when it comes back", async () => {
    const { broker, port } = await brokerOnTcp();
    const lines = subscriptions(40_000, (n) => `robot.${n} ${n}`) + subscriptions(1_000, (n) => `work q m${n}`);
    for (let round = 0; round < 4; round++) {
      const robot = await program(port, "robot");
      robot.send(lines);
      expect(refusals(await settle(robot))).toEqual([]);
      robot.close();
      await until(() => broker.stats().clients.length === 0);
    }
    await until(() => broker.stats().subscriptions === 0);
  });
});

describe.each(HUBS)("50,000 subscriptions behind a leaf of %s", (hub) => {
  it("neither cut the host off nor keep another client of it from subscribing and publishing across", async () => {
    await using rig = await LeafRig.start(hub);
    const a = await rig.leaf("a", { authTimeoutMs: 600_000 });
    const b = await rig.leaf("b");
    const port = await listen(a.broker);
    const attacker = await program(port, "attacker");
    attacker.send(subscriptions(60_000, (n) => `attack.${n} ${n}`));
    expect(refusals(await settle(attacker))).toHaveLength(10_000);
    await expectAcross(rig, a, b, port, "first");
    expect(a.stats).toMatchObject({ is_up: true, connections: 1 });
    expect(a.stats.ours).toBeGreaterThan(50_000);
    // As well after a cut: what was accepted before the link exists fits, too.
    await a.cut();
    await a.heal();
    await expectAcross(rig, a, b, port, "second");
    expect(a.stats).toMatchObject({ is_up: true, connections: 2 });
  });
});

/** `round` is a part of the subjects: interest of an earlier round does not match those of this one. */
async function expectAcross(rig: LeafRig, a: TestLeaf, b: TestLeaf, port: number, round: string): Promise<void> {
  const [toA, toB] = [`to.a.${round}`, `to.b.${round}`];
  const victim = await honest(port, "victim");
  const onB = await b.bus("on b");
  const atA: string[] = [];
  const atB: string[] = [];
  victim.subscribe(toA, { callback: (_error, message) => void atA.push(message.string()) });
  onB.subscribe(toB, ({ data }) => void atB.push(Buffer.from(data).toString()));
  await victim.flush();
  await rig.known(onB, a);
  await until(() => b.port.publish(toA, "probe"));
  const sent = Array.from({ length: 500 }, (_, n) => `${n}`);
  for (const each of sent) {
    victim.publish(toB, each);
    onB.publish(toA, each);
  }
  await until(() => atB.length === 500 && atA.includes("499"));
  expect(atB).toEqual(sent);
  expect(atA.filter((each) => each !== "probe")).toEqual(sent);
  await victim.close();
  await onB.close();
}

describe("interest behind a link", () => {
  it("is not announced while an announced wildcard covers it, and is announced once the wildcard is withdrawn", async () => {
    await using rig = await LeafRig.start("the manager's broker");
    const a = await rig.leaf("a");
    const b = await rig.leaf("b");
    const onA = await a.bus("on a");
    await onA.flush();
    const before = a.stats.ours;
    const wildcard = onA.subscribe("fold.>", () => {});
    const heard: string[] = [];
    const plain = ["fold.1", "fold.*.x", "fold.deep.>"].map((subject) =>
      onA.subscribe(subject, (message) => void heard.push(`${subject} ${message.subject}`)),
    );
    onA.subscribe("fold.1", () => {}, { queue: "q" });
    onA.subscribe("other.*", () => {});
    onA.subscribe("other.>", () => {});
    await onA.flush();
    // The wildcard, the group, and two of which none was announced before the other that covers it.
    expect(a.stats.ours).toBe(before + 4);
    const publish = async (subject: string) => {
      await until(() => b.port.publish(subject, ""));
    };
    await publish("fold.1");
    await until(() => heard.length === 1);
    wildcard.unsubscribe();
    await onA.flush();
    expect(a.stats.ours).toBe(before + 6);
    await rig.known(onA, b);
    await publish("fold.deep.down");
    await publish("fold.any.x");
    await until(() => heard.length === 3);
    expect(heard).toEqual(["fold.1 fold.1", "fold.deep.> fold.deep.down", "fold.*.x fold.any.x"]);
    for (const one of plain) one.unsubscribe();
    await onA.flush();
    await rig.known(onA, b);
    expect(b.port.publish("fold.deep.down", "")).toBe(false);
  });

  it("of a greedy leaf gives way to that of another when all leaves together have too much, and no link is closed", async () => {
    await using rig = await LeafRig.start("the manager's broker", { maxLinksSubscriptions: 50 });
    const greedy = await rig.leaf("greedy");
    const modest = await rig.leaf("modest");
    const onGreedy = await greedy.bus("on greedy");
    for (let n = 0; n < 60; n++) onGreedy.subscribe(`g.${n}`, () => {});
    await onGreedy.flush();
    const theirs = (name: string) => rig.hub?.stats().links.find((link) => link.name === `host:${name}`)?.theirs ?? 0;
    await until(() => theirs("greedy") >= 50);
    const onModest = await modest.bus("on modest");
    const heard: number[] = [];
    for (let n = 0; n < 10; n++) onModest.subscribe(`m.${n}`, () => void heard.push(n));
    await onModest.flush();
    const onHub = await rig.hubBus("on the hub");
    await rig.known(onModest, onHub);
    for (let n = 0; n < 10; n++) onHub.publish(`m.${n}`, "");
    await until(() => heard.length === 10);
    expect([greedy.stats, modest.stats]).toMatchObject(Array(2).fill({ is_up: true, connections: 1 }));
    await until(() => rig.logged.some((line) => line.includes("may have at most 50 subscriptions")));
  });
});
