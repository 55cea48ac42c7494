import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import type { BusMessage } from "../../../src/bus/broker/bus-message.ts";
import { HubConnection } from "../../../src/bus/broker/leaf/hub-connection.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { hubDial } from "../../../src/bus/client/hub-dial.ts";
import { RawClient } from "../bus-rig.ts";
import { LeafRig, type TestLeaf, until } from "./leaf-rig.ts";

const CONNECT = { verbose: false, server_id: "EVIL", name: "evil", headers: true, proto: 1 };
const connectLine = (more: object) => `CONNECT ${JSON.stringify({ ...CONNECT, ...more })}\r\n`;
const lmsg = (subject: string, rest = "") => `LMSG ${subject} ${rest}4\r\nevil\r\n`;

let rig: LeafRig;
let victim: TestLeaf;

beforeEach(async () => {
  rig = await LeafRig.start("the manager's broker");
  victim = await rig.leaf("victim");
});
afterEach(() => rig[Symbol.asyncDispose]());

/** What a leaf wants, as the hub knows it: first of all the name by which it detects loops. */
const interestOf = (leaf: string) => rig.hub?.stats().links.find(({ name }) => name === leaf)?.theirs;

async function evilLeaf(): Promise<RawClient> {
  const raw = await RawClient.connect({ host: "127.0.0.1", port: rig.port });
  raw.send(`${connectLine({ auth_token: "host-evil" })}PING\r\n`);
  await raw.until((text) => text.includes("PONG\r\n"));
  return raw;
}

/** What is answered to `sent`, once it has been processed. */
async function answer(raw: RawClient, sent: string): Promise<string> {
  const before = raw.text.length;
  raw.send(`${sent}PING\r\n`);
  const text = await raw.until((all) => all.includes("PONG\r\n", before));
  return text.slice(before).replace(/PONG\r\n$/, "");
}

describe("a leaf that lies", () => {
  it.each([
    ["as another host", "mgr.host.victim.event"],
    ["as its own host, which has another connection for that", "mgr.host.evil.event"],
    ["as the manager, to a host", "mgr.host.victim.do.stop"],
    ["a report of the bus", "mgr.bus.report"],
    ["a registration", "mgr.client.register"],
    ["as a server", "$SYS.REQ.SERVER.PING"],
    ["a sign of a loop", "$LDS.abc"],
    ["to a subject with a wildcard", "topic.*"],
    ["to everything", ">"],
    ["to no subject", "topic..x"],
  ])("cannot publish %s", async (_what, subject) => {
    const hub = rig.hub?.port();
    const heard: BusMessage[] = [];
    hub?.subscribe(">", (message) => heard.push(message));
    victim.port.subscribe(">", (message) => heard.push(message));
    await until(() => interestOf("host:victim") === 2);
    const raw = await evilLeaf();
    expect(await answer(raw, lmsg(subject))).toBe(`-ERR 'Permissions Violation for Publish to "${subject}"'\r\n`);
    expect(await answer(raw, lmsg("topic.x", `${subject} `))).toBe(`-ERR 'Permissions Violation for Publish to "${subject}"'\r\n`);
    expect(await answer(raw, lmsg("topic.x"))).toBe("");
    await until(() => heard.length >= 2);
    expect(heard.map((message) => message.subject)).toEqual(["topic.x", "topic.x"]);
    expect(rig.hub?.stats().links.find(({ name }) => name === "host:evil")).toMatchObject({ refused_msgs: 2 });
    raw.close();
  });

  it.each([
    "mgr.>",
    "mgr.host.victim.>",
    "mgr.host.evil.do.*",
    "mgr.*.*.event",
    "mgr.client.register",
    "$SYS.>",
    "_INBOX.>",
    "_INBOX.*",
    "_INBOX.*.x",
    "_INBOX",
    "a..b",
    "a.>.b",
  ])("cannot subscribe to %s", async (subject) => {
    const raw = await evilLeaf();
    const refusal = `-ERR 'Permissions Violation for Subscription to "${subject}"`;
    expect(await answer(raw, `LS+ ${subject}\r\n`)).toBe(`${refusal}'\r\n`);
    expect(await answer(raw, `LS+ ${subject} q 1\r\n`)).toBe(`${refusal} using queue "q"'\r\n`);
    raw.close();
  });

  it("receives by a wildcard only what links carry, and no answers to others", async () => {
    const raw = await evilLeaf();
    expect(await answer(raw, "LS+ >\r\nLS+ *.*.*.*\r\n")).toBe("");
    const manager = rig.hub?.port();
    for (const subject of ["mgr.host.victim.do.stop", "mgr.host.evil.event", "_INBOX.secret.1.2", "$SYS.x.y.z", "topic.a.b.c"])
      manager?.publish(subject, subject);
    expect(await answer(raw, "")).toBe("LMSG topic.a.b.c 11\r\ntopic.a.b.c\r\n");
    raw.close();
  });

  it("does not learn inboxes that sent it no request, and cannot read those that it knows", async () => {
    const raw = await evilLeaf();
    const asker = await victim.bus("asker");
    asker.subscribe("_INBOX.private.*", () => {});
    await rig.known(asker, await rig.hubBus("on the hub"));
    expect(await answer(raw, "LS+ svc.evil q 1\r\n")).not.toContain("_INBOX");
    await until(() => victim.port.publish("svc.evil", ""));
    asker.publish("svc.evil", "?", { reply: "_INBOX.private.1" });
    const text = await raw.until((all) => all.includes("_INBOX.private.1"));
    // The answer finds its way: interest in the inbox comes before the request.
    expect(text).toMatch(/LS\+ _INBOX\.private\.\*\r\nLMSG svc\.evil \+ _INBOX\.private\.1 q 1\r\n\?\r\n/);
    expect(await answer(raw, "LS+ _INBOX.private.*\r\n")).toContain("Permissions Violation for Subscription");
    expect(await answer(raw, "LS+ _INBOX.private.2\r\n")).toContain("Permissions Violation for Subscription");
    // Not either while its owner is away.
    await victim.cut();
    await until(() => rig.hub?.stats().links.every(({ name, is_up }) => name !== "host:victim" || !is_up) ?? false);
    expect(await answer(raw, "LS+ _INBOX.private.*\r\n")).toContain("Permissions Violation for Subscription");
    await victim.heal();
    expect(await answer(raw, "LS+ _INBOX.own.*\r\n")).not.toContain("-ERR");
    raw.close();
  });

  it("does not learn the name by which others detect loops, and disconnects only itself by claiming one", async () => {
    await until(() => interestOf("host:victim") === 1);
    const raw = await evilLeaf();
    await answer(raw, "");
    expect(raw.text.match(/\$LDS/g)).toHaveLength(1);
    const own = /LS\+ (\$LDS\.\w+)/.exec(raw.text)?.[1] ?? "";
    raw.send(`LS+ ${own}\r\n`);
    expect(await raw.end()).toMatch(/-ERR 'Loop detected/);
    expect(victim.stats).toMatchObject({ is_up: true, connections: 1 });
  });

  it.each([
    ["a client's words", "SUB topic.x 1\r\n", /-ERR 'Unknown Protocol Operation'/],
    ["a client's messages", "PUB topic.x 1\r\nx\r\n", /-ERR 'Unknown Protocol Operation'/],
    ["a message that is too large", "LMSG topic.x 2000000\r\n", /-ERR 'Maximum Payload Violation'/],
    ["a message without a size", "LMSG topic.x\r\n", /-ERR 'Parser Error'/],
    ["a queue form without a queue", "LMSG topic.x | 1\r\n", /-ERR 'Parser Error'/],
    ["a reply form without a queue", "LMSG topic.x + reply 1\r\n", /-ERR 'Parser Error'/],
    ["headers that are longer than the message", "HMSG topic.x 5 4\r\n", /-ERR 'Parser Error'/],
    ["interest in nothing", "LS+\r\n", /-ERR 'Parser Error'/],
    ["a line without an end", `LS+ ${"x".repeat(40_000)}`, /-ERR 'Maximum Control Line Exceeded'/],
  ])("is disconnected for %s", async (_what, sent, expected) => {
    const raw = await evilLeaf();
    raw.send(sent);
    expect(await raw.end()).toMatch(expected);
  });

  it("loses its newest interest beyond the limit of a host, and keeps its link", async () => {
    await using small = await LeafRig.start("the manager's broker", { maxLinkSubscriptions: 10 });
    const raw = await RawClient.connect({ host: "127.0.0.1", port: small.port });
    raw.send(connectLine({ auth_token: "host-evil" }));
    raw.send(Array.from({ length: 11 }, (_, n) => `LS+ topic.${n}\r\n`).join(""));
    raw.send("PING\r\n");
    const said = await raw.until((text) => text.includes("PONG"));
    expect(said.match(/-ERR .*/g)).toEqual([
      `-ERR 'Permissions Violation for Subscription to "topic.10": one host may have at most 10 subscriptions'`,
    ]);
    raw.close();
  });

  it.each([
    ["without credentials", {}],
    ["with a wrong token", { auth_token: "wrong" }],
    ["with the token of a client", { auth_token: "client" }],
    ["with a user name and a password", { user: "host-evil", pass: "x" }],
  ])("is not accepted %s", async (_what, credentials) => {
    const raw = await RawClient.connect({ host: "127.0.0.1", port: rig.port });
    raw.send(connectLine(credentials));
    expect(await raw.end()).toMatch(/-ERR 'Authorization Violation'/);
  });

  it("cannot replace another host by using its server_id", async () => {
    const raw = await RawClient.connect({ host: "127.0.0.1", port: rig.port });
    const { name, connections } = rig.hub?.stats().links[0] ?? {};
    expect([name, connections]).toEqual(["host:victim", 1]);
    raw.send(`${connectLine({ auth_token: "host-evil", server_id: "ANY" })}PING\r\n`);
    await raw.until((text) => text.includes("PONG"));
    expect(rig.hub?.stats().links.map(({ name, is_up }) => ({ name, is_up }))).toEqual([
      { name: "host:victim", is_up: true },
      { name: "host:evil", is_up: true },
    ]);
    raw.close();
  });

  it("cannot read the interest of a client in subjects of the manager", async () => {
    const hub = await rig.hubBus("manager");
    hub.subscribe("mgr.host.evil.event", () => {});
    hub.subscribe("topic.open", () => {});
    await hub.flush();
    const raw = await evilLeaf();
    expect(raw.text).toContain("LS+ topic.open\r\n");
    expect(raw.text).not.toContain("mgr.host");
    raw.close();
  });
});

describe("a hub that lies", () => {
  it("cannot publish to a leaf what links do not carry, nor learn of its interest", async () => {
    let said = "";
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.write('INFO {"server_id":"EVIL","max_payload":1000}\r\n');
      socket.on("data", (bytes) => {
        const before = said;
        said += bytes.toString("latin1");
        if (!before.includes("CONNECT") && said.includes("CONNECT")) {
          const messages = ["mgr.host.rt1.do.stop", "mgr.client.register", "$SYS.x", "topic.x"].map((subject) => lmsg(subject)).join("");
          socket.write(`INFO {"server_id":"EVIL","max_payload":1000}\r\nLS+ mgr.host.rt1.>\r\nLS+ $SYS.>\r\nPONG\r\n${messages}`);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const broker = createBroker();
    const bus = await connectBus({ server: { kind: "memory", broker }, name: "all" });
    const heard: string[] = [];
    bus.subscribe(">", ({ subject }) => subject.startsWith("_INBOX") || heard.push(subject));
    bus.subscribe("mgr.host.rt1.do.*", () => {});
    await bus.flush();
    const dial = hubDial({ server: { kind: "url", urls: [`nats://127.0.0.1:${port}`] } });
    const link = new HubConnection({ broker, name: "rt1", dial, log: () => {} });
    await until(() => heard.length > 0 && said.includes("LS+ >"));
    expect(heard).toEqual(["topic.x"]);
    expect(said).not.toMatch(/LS\+ (mgr|\$SYS)/);
    expect(broker.stats().links[0]).toMatchObject({ refused_msgs: 3 });
    await link.close();
    await bus.close();
    await broker.close();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  });
});
