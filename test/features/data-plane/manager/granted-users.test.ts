import type { NatsConnection } from "@nats-io/nats-core";
import { Svcm } from "@nats-io/services";
import { expect, it } from "vitest";
import { permissionsOfUser } from "../../../../src/app/bus/user-permissions.ts";
import type { Grant } from "../../../../src/base/access/access.ts";
import { permissionsOf } from "../../../../src/bus/broker/permissions.ts";
import type { Bus } from "../../../../src/bus/client/bus.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { createTransport } from "../../../../src/transport/websocket.ts";
import { register } from "../../../bus/registry/registry-rig.ts";
import { DataPlaneRig } from "./data-plane-rig.ts";

const VIEWER: readonly Grant[] = [{ role: "viewer", on: ["sim/*"] }];
const OPERATOR: readonly Grant[] = [{ role: "operator", on: ["sim/*"] }];

interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Programs of processes, and users with roles on some of them. */
class Setting {
  readonly rig: DataPlaneRig;
  readonly #closes: (() => unknown)[] = [];
  #runs = 0;

  static async start(): Promise<Setting> {
    return new Setting(await DataPlaneRig.start());
  }

  private constructor(rig: DataPlaneRig) {
    this.rig = rig;
  }

  /** A program of a process. */
  async program(process: string, topics: readonly object[] = []): Promise<NatsConnection> {
    const permissions = permissionsOf({ kind: "client", name: process, run_id: `1-${++this.#runs}`, process });
    const bus = await connectBus({ server: { kind: "memory", broker: this.rig.hub, permissions }, name: process });
    const { connection } = bus;
    this.#closes.push(() => bus.close());
    if (topics.length > 0) expect(await register(connection, { name: process, topics })).toMatchObject({ ok: true, problems: [] });
    return connection;
  }

  /** A user's connection to the bus, and what it receives. */
  async onBus(grants: readonly Grant[], subjects: readonly string[] = []) {
    const { hub, dataPlane } = this.rig;
    const permissions = permissionsOfUser("eve", grants, () => dataPlane.tables.owners);
    if (permissions === null) throw new Error("no role");
    const bus = await connectBus({ server: { kind: "memory", broker: hub, permissions }, name: "eve" });
    this.#closes.push(() => bus.close());
    const received: string[] = [];
    for (const subject of subjects)
      bus.subscribe(subject, (message) => received.push(`${message.subject} ${Buffer.from(message.data)} ${message.reply || "-"}`));
    await bus.flush();
    return { bus, received };
  }

  /** A user's connection to the manager. */
  connection(grants: readonly Grant[]) {
    const { control, extensions, hub, system } = this.rig.engine;
    const transport = createTransport({ control, extensions, hub, system, assetHash: "" });
    const frames: Frame[] = [];
    const connected = transport.connect({
      principal: { user: "eve", via: "basic", address: "127.0.0.1:1", grants },
      mode: { kind: "full" },
      receive: (text) => void frames.push(JSON.parse(text)),
    });
    this.#closes.push(() => {
      connected.close();
      transport.close(1001, "the test is over");
    });
    let id = 0;
    const ask = async (frame: Frame) => {
      const request_id = ++id;
      connected.send(JSON.stringify({ ...frame, request_id }));
      await expect.poll(() => frames.find((each) => each.request_id === request_id)).toBeDefined();
      return frames.find((each) => each.request_id === request_id);
    };
    return { frames, ask };
  }

  /** Resolves when the manager knows the publishers of a topic. */
  publishers(topic: string, processes: readonly string[] | null): Promise<void> {
    return expect.poll(() => this.rig.dataPlane.ownersOf({ topic })).toEqual(processes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closes.reverse()) await close();
    await this.rig[Symbol.asyncDispose]();
  }
}

const json = (name: string, keep_last = false) => ({ name, encoding: "json", keep_last });

it("a user of sim/* sees the clients, topics and services of these processes only, in lists and in events", async () => {
  await using setting = await Setting.start();
  const { frames, ask } = setting.connection(VIEWER);
  const world = await setting.program("sim/world", [json("world/pose")]);
  const keyring = await setting.program("vault/keyring", [json("gold/amount")]);
  await setting.rig.client(setting.rig.one, "tool", ["tool/state"]);
  world.subscribe("topic.gold.amount");
  world.subscribe("topic.world.pose");
  await world.flush();
  for (const [connection, name] of [
    [world, "mover"],
    [keyring, "goldsmith"],
  ] as const)
    await new Svcm(connection).add({ name, version: "1.0.0" });
  await expect.poll(() => setting.rig.dataPlane.services().length).toBe(2);
  await expect.poll(() => setting.rig.clientNamed("sim/world")?.subscribed_topics).toEqual(["gold/amount", "world/pose"]);

  const client = { name: "sim/world", published_topics: ["world/pose"], subscribed_topics: ["world/pose"], provided_services: ["mover"] };
  const shown = { clients: [client], topics: [{ name: "world/pose" }], services: [{ name: "mover" }] };
  expect(await ask({ type: "get_snapshot" })).toMatchObject(shown);
  expect(await ask({ type: "request_clients" })).toMatchObject({ clients: shown.clients });
  expect(await ask({ type: "request_topics" })).toMatchObject({ topics: shown.topics });
  expect(await ask({ type: "request_services" })).toMatchObject({ services: shown.services });
  expect(await ask({ type: "request_topic_detail", name: "world/pose" })).toMatchObject({
    ok: true,
    subscribers: [{ client: "sim/world" }],
  });
  for (const name of ["gold/amount", "tool/state", "nothing"])
    expect(await ask({ type: "request_topic_detail", name })).toMatchObject({
      code: "forbidden",
      message: "'request_topic_detail' needs the role viewer on everything, or on the processes that its object belongs to.",
    });
  // The topic of a process in view is hidden when it has another publisher: its events say that it is gone.
  const raw = await setting.program("sim/arm");
  raw.publish("topic.raw", "1");
  await expect
    .poll(() => frames.filter(({ type }) => type === "topic_upsert").map(({ topic }) => topic))
    .toContainEqual(expect.objectContaining({ name: "raw" }));
  keyring.publish("topic.raw", "2");
  await expect.poll(() => frames.filter(({ type, name }) => type === "topic_remove" && name === "raw").length).toBe(1);
  await keyring.close();
  await setting.publishers("raw", ["sim/arm"]);
  expect(await ask({ type: "request_topics" })).toMatchObject({ topics: [{ name: "world/pose" }, { name: "raw" }] });
  expect(JSON.stringify(frames)).not.toMatch(/vault|keyring|gold|tool.state/);
});

it("late samples reach users with a role on everything only, and no program or user can publish them", async () => {
  await using setting = await Setting.start();
  const { hub } = setting.rig;
  const world = await setting.program("sim/world", [json("world/pose")]);
  await setting.publishers("world/pose", ["sim/world"]);
  const subjects = ["late.>", "late.world.pose", ">", "*.world.pose", "topic.>"];
  const restricted = await setting.onBus(OPERATOR, subjects);
  const viewer = await setting.onBus([{ role: "viewer", on: null }], ["late.>"]);
  const operator = await setting.onBus([{ role: "operator", on: null }], ["late.>"]);
  world.publish("late.world.pose", "forged");
  for (const { bus } of [restricted, viewer, operator]) {
    bus.publish("late.world.pose", "forged");
    await bus.flush();
  }
  await world.flush();
  // As a link brings them.
  hub.port().publish("late.world.pose", "1");
  await expect.poll(() => operator.received).toEqual(["late.world.pose 1 -"]);
  await expect.poll(() => viewer.received).toEqual(["late.world.pose 1 -"]);
  world.publish("topic.world.pose", "2");
  await world.flush();
  await expect.poll(() => restricted.received.length).toBeGreaterThan(0);
  await restricted.bus.flush();
  expect(new Set(restricted.received)).toEqual(new Set(["topic.world.pose 2 -"]));
});

it("samples of a topic are received while all of its publishers are in view, and none that others published are received later", async () => {
  await using setting = await Setting.start();
  const { frames, ask } = setting.connection(VIEWER);
  const arm = await setting.program("sim/arm");
  const vault = await setting.program("vault/keyring");
  const values = () =>
    frames.filter(({ type }) => type === "topic_sample").map(({ value }) => Buffer.from(String(value), "base64").toString());
  for (const [name, fields] of [
    ["raw", undefined],
    ["gold", undefined],
    ["raw", [""]],
  ] as const)
    expect(await ask({ type: "subscribe_topic", name, max_rate: 60, ...(fields ? { fields } : {}) })).toMatchObject({ type: "ack" });
  await setting.rig.subscribed();
  vault.publish("topic.gold", "gold");
  arm.publish("topic.raw", "unknown");
  await setting.publishers("raw", ["sim/arm"]);
  await setting.publishers("gold", ["vault/keyring"]);
  const observer = await setting.onBus([{ role: "viewer", on: null }], ["topic.raw"]);
  arm.publish("topic.raw", "seen");
  await expect.poll(values).toContain("seen");
  vault.publish("topic.raw", "joined");
  await setting.publishers("raw", ["sim/arm", "vault/keyring"]);
  vault.publish("topic.raw", "secret");
  arm.publish("topic.raw", "beside");
  await expect.poll(() => observer.received.length).toBe(4);
  await vault.close();
  await setting.publishers("raw", ["sim/arm"]);
  arm.publish("topic.raw", "again");
  await expect.poll(values).toContain("again");
  expect(values().filter((value) => !["joined"].includes(value))).toEqual(["seen", "again"]);
});

it("on the bus, wildcards of a user deliver the topics of processes in view only, also kept messages and after a change of publishers", async () => {
  await using setting = await Setting.start();
  const world = await setting.program("sim/world", [json("world/pose", true)]);
  const vault = await setting.program("vault/keyring", [json("gold/amount", true)]);
  const tool = await setting.rig.client("hub", "tool", ["tool/state"]);
  await expect.poll(() => setting.rig.dataPlane.topics().length).toBe(3);
  world.publish("topic.world.pose", "1", { reply: "_INBOX.world.answers" });
  vault.publish("topic.gold.amount", "7");
  await world.flush();
  await vault.flush();
  const wildcards = [">", "*.*.*", "topic.>", "topic.*.*", "topic.gold.amount", "topic.world.pose"];
  const refused = ["svc.>", "plain", "$SRV.>", "mgr.bus.report", "_INBOX.>", "_INBOX.*.answers"];
  const eve = await setting.onBus(VIEWER, wildcards);
  const whole = await setting.onBus([{ role: "viewer", on: null }], [">"]);
  const hidden = await setting.onBus([{ role: "viewer", on: ["other/*"] }], [">", "topic.>"]);
  const denied = await setting.onBus(VIEWER, refused);
  world.publish("topic.world.pose", "2", { reply: "_INBOX.world.answers" });
  vault.publish("topic.gold.amount", "8");
  tool.publish("topic.tool.state", "9");
  tool.publish("plain", "10");
  tool.publish("svc.mover", "11");
  await tool.flush();
  await expect.poll(() => whole.received.filter((each) => /pose 2|amount 8|state 9|plain 10|svc/.test(each)).length).toBe(5);
  await expect.poll(() => eve.received.filter((each) => each.includes("pose 2")).length).toBe(5);
  expect(whole.received.join("\n")).toContain("topic.world.pose 2 _INBOX.world.answers");
  expect(eve.received.filter((each) => !/^topic\.world\.pose [12] -$/.test(each))).toEqual([]);
  expect([...hidden.received, ...denied.received]).toEqual([]);

  const raw = await setting.program("sim/arm");
  raw.publish("topic.raw", "first");
  await setting.publishers("raw", ["sim/arm"]);
  raw.publish("topic.raw", "seen");
  await expect.poll(() => eve.received.filter((each) => each.includes("topic.raw seen")).length).toBe(2);
  vault.publish("topic.raw", "join");
  await setting.publishers("raw", ["sim/arm", "vault/keyring"]);
  vault.publish("topic.raw", "secret");
  await expect.poll(() => whole.received.some((each) => each.includes("topic.raw secret"))).toBe(true);
  await eve.bus.flush();
  expect(eve.received.join("\n")).not.toContain("secret");
});

async function serve(connection: NatsConnection, name: string): Promise<void> {
  const service = await new Svcm(connection).add({ name, version: "1.0.0" });
  service.addEndpoint("call", { subject: `svc.${name}.call`, handler: (_error, message) => void message.respond(`${name} was called`) });
  await connection.flush();
}

it("an operator of sim/* calls the services of these processes only, and cannot direct their answers to others", async () => {
  await using setting = await Setting.start();
  const world = await setting.program("sim/world");
  const arm = await setting.program("sim/arm");
  const vault = await setting.program("vault/keyring");
  await serve(world, "mover");
  await serve(vault, "goldsmith");
  await serve(arm, "shared");
  await serve(vault, "shared");
  const heard: string[] = [];
  vault.subscribe("svc.goldsmith.call", { callback: (_error, message) => void heard.push(message.string()) });
  await vault.flush();
  const { dataPlane } = setting.rig;
  await expect
    .poll(() => ["mover", "goldsmith"].map((name) => dataPlane.ownersOf({ name, endpoint: "call" })))
    .toEqual([
      ["sim/world", "sim/world"],
      ["vault/keyring", "vault/keyring"],
    ]);
  await expect.poll(() => dataPlane.tables.allInstances().filter(({ record }) => record.endpoints.length > 0).length).toBe(4);

  const call = (bus: Bus, subject: string, timeoutMs = 500) =>
    bus.request(subject, "x", { timeoutMs }).then(
      ({ data }) => Buffer.from(data).toString(),
      () => "refused",
    );
  const refused = ["svc.goldsmith.call", "svc.shared.call", "$SRV.PING", "$SRV.INFO.goldsmith", "topic.world", "plain"];
  const operator = await setting.onBus(OPERATOR);
  const viewer = await setting.onBus(VIEWER);
  expect(await call(operator.bus, "svc.mover.call", 60_000)).toBe("mover was called");
  expect(await Promise.all(refused.map((subject) => call(operator.bus, subject)))).toEqual(refused.map(() => "refused"));
  const all = ["svc.mover.call", ...refused];
  expect(await Promise.all(all.map((subject) => call(viewer.bus, subject)))).toEqual(all.map(() => "refused"));
  operator.bus.publish("svc.mover.call", "x", { reply: "svc.goldsmith.call" });
  await operator.bus.flush();
  await world.flush();
  await vault.flush();
  expect(heard).toEqual([]);

  const { ask } = setting.connection(OPERATOR);
  const frame = { type: "call_service", endpoint: "call", request: null };
  expect(await ask({ ...frame, name: "mover" })).toMatchObject({ code: "conflict", message: expect.stringContaining("not JSON") });
  for (const name of ["goldsmith", "shared", "nothing"]) expect(await ask({ ...frame, name })).toMatchObject({ code: "forbidden" });
  expect(await setting.connection(VIEWER).ask({ ...frame, name: "mover" })).toMatchObject({ code: "forbidden" });
});

it("a user who may not publish reserves no topic by a registration, and leaves no kept message", async () => {
  await using setting = await Setting.start();
  for (const grants of [VIEWER, OPERATOR, [{ role: "viewer", on: null }] satisfies Grant[]]) {
    const { bus } = await setting.onBus(grants);
    const answer = await register(bus.connection, { name: "eve", topics: [json("mine", true)] });
    expect(answer).toMatchObject({ ok: true, problems: [{ topic: "mine", code: "forbidden" }] });
    bus.publish("topic.mine", "1");
    bus.publish("topic.other", "1");
    await bus.flush();
  }
  expect(setting.rig.hub.subjects().filter(({ subject }) => subject.startsWith("topic."))).toEqual([]);
  const { received } = await setting.onBus([{ role: "admin", on: null }], ["topic.>"]);
  expect(received).toEqual([]);
  expect(setting.rig.dataPlane.topics()).toEqual([]);
});
