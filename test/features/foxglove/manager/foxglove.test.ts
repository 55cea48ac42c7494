import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createManager } from "../../../../src/app/embedded/create-manager.ts";
import type { EmbeddedManager } from "../../../../src/app/embedded/embedded-manager.ts";
import { connectClient, type DataClient, ProtobufDefinition } from "../../../../src/features/data-plane/client/index.ts";
import { MAX_MESSAGE_BYTES, MAX_SCHEMA_CHARS, MAX_VIEWERS } from "../../../../src/features/foxglove/limits.ts";
import { ARM_STATE_DESCRIPTORS, protobufBytes, protobufValue } from "../../data-plane/arm-state-protobuf.ts";
import { addressOf, TestViewer, upgradeStatus, urlToken } from "./rig.ts";

const ORIGIN = "https://viewer.example";
const POSE = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };

let manager: EmbeddedManager;
let program: DataClient;
let viewer: string;
let operator: string;
const log: string[] = [];

beforeAll(async () => {
  manager = await createManager(
    { instance: { name: "viewers", manager: "localhost:0", allowed_origins: [ORIGIN] } },
    { listen: true, bus: true, onLog: ({ msg }) => log.push(msg) },
  );
  program = await connectClient({ name: "arm", url: manager.busUrl ?? "", log: () => {} });
  viewer = await urlToken(manager, "wall", "viewer");
  operator = await urlToken(manager, "desk", "operator");
});
afterAll(async () => {
  await program.close();
  await manager[Symbol.asyncDispose]();
});

describe("a viewer", () => {
  it.each(["foxglove.websocket.v1", "foxglove.sdk.v1"])("gets the server's capabilities over %s", async (protocol) => {
    using opened = new TestViewer(manager, viewer, protocol);
    expect(await opened.text("serverInfo")).toMatchObject({
      name: "mgr",
      capabilities: ["clientPublish", "parameters", "parametersSubscribe", "services", "connectionGraph"],
      supportedEncodings: ["json"],
      sessionId: expect.stringMatching(/./),
    });
    expect(opened.texts[0]?.op).toBe("serverInfo");
    expect(opened.ws.protocol).toBe(protocol);
  });

  it("gets topics with their schemas, and samples with the time of publishing, until it unsubscribes", async () => {
    const publisher = await program.publisher("arm/pose", POSE, { definitionName: "Pose", keepLast: true });
    publisher.publish({ x: 1 });
    using opened = new TestViewer(manager, viewer);
    const channel = await opened.channel("arm/pose");
    expect(channel).toMatchObject({ encoding: "json", schemaName: "Pose", schemaEncoding: "jsonschema" });
    expect(JSON.parse(channel.schema)).toEqual(POSE);
    const before = BigInt(Date.now() - 60_000) * 1_000_000n;
    const subscription = opened.client.subscribe(channel.id);
    const sample = await opened.binary(1, (bytes) => bytes.readUInt32LE(1) === subscription);
    expect(JSON.parse(sample.toString("utf8", 13))).toEqual({ x: 1 });
    expect(sample.readBigUInt64LE(5)).toBeGreaterThan(before);

    // A second viewer gets the kept sample, although the topic has a subscription already.
    using second = new TestViewer(manager, viewer);
    second.client.subscribe((await second.channel("arm/pose")).id);
    expect(JSON.parse((await second.binary(1)).toString("utf8", 13))).toEqual({ x: 1 });

    opened.client.unsubscribe(subscription);
    opened.send({ op: "unsubscribe", subscriptionIds: [subscription] });
    expect((await opened.text("status")).message).toBe(`there is no subscription ${subscription}`);
    const open = opened.client.subscribe(channel.id);
    publisher.close();
    await opened.text("unadvertise", ({ channelIds }) => Array.isArray(channelIds) && channelIds.includes(channel.id));
    // Viewers unsubscribe from what ended with its topic, too: only the second time is an error.
    opened.send({ op: "unsubscribe", subscriptionIds: [open] });
    opened.send({ op: "unsubscribe", subscriptionIds: [open] });
    await opened.text("status", ({ message }) => message === `there is no subscription ${open}`);
    expect(opened.texts.filter(({ op }) => op === "status")).toHaveLength(2);
  });

  it("gets the JSON Schema of a topic that names a message of Foxglove, whose publisher refuses what does not fit it", async () => {
    const publisher = await program.publisher("arm/color", "foxglove.Color");
    using opened = new TestViewer(manager, viewer);
    const channel = await opened.channel("arm/color");
    expect(channel).toMatchObject({ encoding: "json", schemaName: "foxglove.Color", schemaEncoding: "jsonschema" });
    expect(JSON.parse(channel.schema)).toMatchObject({ title: "foxglove.Color", required: ["r", "g", "b", "a"] });
    expect(() => publisher.publish({ r: 1, g: 0, b: 0 })).toThrow(/does not fit the definition of its topic: a: .*number/);
    expect(publisher.publish({ r: 1, g: 0, b: 0, a: 1 })).toBe(true);
    await expect(program.publisher("arm/colour", "foxglove.Colour")).rejects.toThrow("did you mean 'foxglove.Color'");
    publisher.close();
  });

  it("gets the descriptors of Protocol Buffers, and the bytes of their messages", async () => {
    const publisher = await program.publisher("arm/proto", new ProtobufDefinition(ARM_STATE_DESCRIPTORS, "demo.ArmState"), {
      keepLast: true,
    });
    publisher.publish(protobufBytes({ position: 1.5 }));
    using opened = new TestViewer(manager, viewer);
    const channel = await opened.channel("arm/proto");
    expect(channel).toMatchObject({ encoding: "protobuf", schemaName: "demo.ArmState", schemaEncoding: "protobuf" });
    opened.client.subscribe(channel.id);
    const data = (await opened.binary(1)).subarray(13);
    expect(protobufValue(data, Buffer.from(channel.schema, "base64"))).toEqual({ position: 1.5 });
    publisher.close();
  });

  it("gets the topics of a message whose other entries are refused", async () => {
    const publisher = await program.publisher("arm/known", {}, { keepLast: true });
    publisher.publish({ x: 1 });
    using opened = new TestViewer(manager, viewer);
    const { id: channelId } = await opened.channel("arm/known");
    opened.send({
      op: "subscribe",
      subscriptions: [
        { id: 1, channelId: 4_000_000_000 },
        { id: 2, channelId },
      ],
    });
    expect((await opened.text("status")).message).toBe("there is no channel 4000000000");
    expect((await opened.binary(1)).readUInt32LE(1)).toBe(2);
    publisher.close();
  });

  it("gets the log as foxglove.Log", async () => {
    using opened = new TestViewer(manager, viewer);
    const channel = await opened.channel("mgr/log");
    expect(channel.schemaName).toBe("foxglove.Log");
    opened.client.subscribe(channel.id);
    const line = await opened.binary(1, (bytes) => bytes.includes("access token 'wall'"));
    expect(JSON.parse(line.toString("utf8", 13))).toMatchObject({ level: 2, timestamp: { sec: expect.any(Number) } });
  });

  it("gets the time of a play, and the capability for it", async () => {
    const clock = await program.publisher("mgr/clock", {}, { keepLast: true });
    using opened = new TestViewer(manager, viewer);
    clock.publish({ time: "1700000000123456789", rate: 1 });
    await opened.text("serverInfo", ({ capabilities }) => Array.isArray(capabilities) && capabilities.includes("time"));
    expect((await opened.binary(2)).readBigUInt64LE(1)).toBe(1_700_000_000_123_456_789n);
    const infos = opened.texts.filter(({ op }) => op === "serverInfo").length;
    clock.close();
    await opened.text("serverInfo", (text) => opened.texts.indexOf(text) >= infos && !JSON.stringify(text).includes('"time"'));
  });

  it("gets the connection graph and its changes", async () => {
    using opened = new TestViewer(manager, viewer);
    const publisher = await program.publisher("arm/graph", {});
    await opened.channel("arm/graph");
    opened.client.subscribeConnectionGraph();
    const graph = await opened.text("connectionGraphUpdate", (text) => JSON.stringify(text).includes("arm/graph"));
    expect(graph.publishedTopics).toContainEqual({ name: "arm/graph", publisherIds: ["arm"] });
    publisher.close();
    await opened.text("connectionGraphUpdate", ({ removedTopics }) => Array.isArray(removedTopics) && removedTopics.includes("arm/graph"));
    opened.client.unsubscribeConnectionGraph();
  });

  it("reads, sets and follows parameters as its role allows", async () => {
    const { gain } = program.parameters({ gain: { type: "float", value: 1.5, min: 0, max: 10 } });
    using opened = new TestViewer(manager, operator);
    await opened.service("arm/parameters/list");
    const name = "arm/parameters:gain";
    // A program that does not answer within two seconds is left out.
    let asked = 0;
    const all = async () => {
      const request = `all ${++asked}`;
      opened.client.getParameters([], request);
      return (await opened.text("parameterValues", ({ id }) => id === request)).parameters;
    };
    await expect.poll(all).toEqual([{ name, value: 1.5, type: "float64" }]);
    opened.client.subscribeParameterUpdates([name]);
    opened.client.setParameters([{ name, value: 3 }], "set");
    expect((await opened.text("parameterValues", ({ id }) => id === "set")).parameters).toEqual([{ name, value: 3, type: "float64" }]);
    expect(gain.value).toBe(3);
    await opened.text("parameterValues", ({ id, parameters }) => id === undefined && JSON.stringify(parameters).includes(":3,"));
    opened.client.unsubscribeParameterUpdates([name]);
    opened.client.setParameters([{ name, value: 11 }]);
    expect((await opened.text("status")).message).toContain("gain");

    using reading = new TestViewer(manager, viewer);
    await reading.text("serverInfo");
    reading.client.setParameters([{ name, value: 4 }], "set");
    expect((await reading.text("status")).message).toContain("operator");
    expect(gain.value).toBe(3);
  });

  it("calls services as its role allows", async () => {
    const provided = program.provide("arm/home", { name: "home.v1", endpoints: { go: {} } }, (request) => ({ went: request }));
    for (const [token, encoding] of [
      [operator, "json"],
      [operator, "cdr"],
      [viewer, "json"],
    ] as const) {
      using opened = new TestViewer(manager, token);
      const serviceId = await opened.service("arm/home/go");
      opened.client.sendServiceCallRequest({
        serviceId,
        callId: 7,
        encoding,
        data: new DataView(new TextEncoder().encode('{"to":1}').buffer),
      });
      if (token === operator && encoding === "json") {
        const answer = await opened.binary(3);
        expect([answer.readUInt32LE(1), answer.readUInt32LE(5), answer.toString("utf8", 13)]).toEqual([
          serviceId,
          7,
          'json{"went":{"to":1}}',
        ]);
      } else {
        const says = expect.stringContaining(encoding === "cdr" ? "use json" : "operator");
        expect(await opened.text("serviceCallFailure")).toMatchObject({ serviceId, callId: 7, message: says });
      }
    }
    provided.stop();
  });

  it("calls a service many times at once: calls beyond 32 wait, and are refused when too many bytes wait", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const provided = program.provide("arm/slow", { name: "slow.v1", endpoints: { go: {} } }, () => released);
    using opened = new TestViewer(manager, operator);
    const serviceId = await opened.service("arm/slow/go");
    const call = (callId: number, text: string) =>
      opened.client.sendServiceCallRequest({
        serviceId,
        callId,
        encoding: "json",
        data: new DataView(new TextEncoder().encode(text).buffer),
      });
    for (let callId = 1; callId <= 100; callId++) call(callId, "{}");
    const large = JSON.stringify({ text: "x".repeat(1_000_000) });
    for (let callId = 101; callId <= 105; callId++) call(callId, large);
    const refused = await opened.text("serviceCallFailure");
    expect(refused).toMatchObject({ callId: 105, message: expect.stringContaining("32 requests are being answered") });
    release();
    await opened.binary(3, (bytes) => bytes.readUInt32LE(5) === 104);
    expect(opened.binaries.filter((bytes) => bytes[0] === 3)).toHaveLength(104);
    provided.stop();
  });

  it("publishes a topic with its definition, and other programs get each message", async () => {
    using opened = new TestViewer(manager, operator);
    await opened.text("serverInfo");
    const subscription = program.subscribe("desk/target");
    const received = subscription[Symbol.asyncIterator]();
    await program.flush();
    const schema = { schemaName: "Target", schemaEncoding: "jsonschema", schema: JSON.stringify(POSE) };
    const id = opened.client.advertise({ topic: "desk/target", encoding: "json", ...schema });
    opened.client.sendMessage(id, new TextEncoder().encode('{"x":1}'));
    expect((await received.next()).value).toMatchObject({ value: { x: 1 } });
    opened.client.sendMessage(id, new TextEncoder().encode('{"x":2}'));
    expect((await received.next()).value).toMatchObject({ value: { x: 2 } });
    expect(await opened.channel("desk/target")).toMatchObject({ encoding: "json", schemaName: "Target" });
    expect(opened.texts.filter(({ op }) => op === "status")).toEqual([]);
    subscription.close();
  });

  it("publishes a message of Foxglove by its name alone, which has to fit", async () => {
    using opened = new TestViewer(manager, operator);
    await opened.text("serverInfo");
    const id = opened.client.advertise({ topic: "desk/color", encoding: "json", schemaName: "foxglove.Color" });
    opened.client.sendMessage(id, new TextEncoder().encode('{"r":1}'));
    expect((await opened.text("status")).message).toContain("does not fit the definition: g: expected number");
    opened.client.sendMessage(id, new TextEncoder().encode('{"r":1,"g":0,"b":0,"a":1}'));
    expect(JSON.parse((await opened.channel("desk/color")).schema)).toMatchObject({ title: "foxglove.Color" });
  });

  it("is refused messages that it may not publish, or that do not fit its schema", async () => {
    using opened = new TestViewer(manager, operator);
    await opened.text("serverInfo");
    const channel = {
      topic: "desk/goal",
      encoding: "json",
      schemaName: "Goal",
      schemaEncoding: "jsonschema",
      schema: JSON.stringify(POSE),
    };
    const id = opened.client.advertise(channel);
    opened.client.sendMessage(id, new TextEncoder().encode('{"x":"two"}'));
    expect((await opened.text("status")).message).toContain("does not fit the definition");
    opened.client.unadvertise(id);
    opened.client.sendMessage(id, new TextEncoder().encode("{}"));
    await opened.text("status", ({ message }) => message === `the channel ${id} was not advertised`);

    using reading = new TestViewer(manager, viewer);
    await reading.text("serverInfo");
    const other = reading.client.advertise({ ...channel, topic: "wall/goal" });
    reading.client.sendMessage(other, new TextEncoder().encode('{"x":2}'));
    expect((await reading.text("status")).message).toContain("operator");
  });

  it("with a role on some processes sees neither other topics nor the log", async () => {
    const publisher = await program.publisher("arm/hidden", {});
    using all = new TestViewer(manager, viewer);
    await all.channel("arm/hidden");
    using opened = new TestViewer(manager, await urlToken(manager, "some", "viewer", { on: ["other/*"] }));
    await opened.text("serverInfo");
    opened.send({ op: "subscribe", subscriptions: [{ id: 1, channelId: 1 }] });
    expect((await opened.text("status")).message).toBe("there is no channel 1");
    expect(opened.texts.filter(({ op }) => op === "advertise")).toEqual([]);
    publisher.close();
  });
});

describe("a hostile viewer", () => {
  it.each([
    ["text that is not JSON", "{", "was not understood"],
    ["an unknown operation", { op: "explode" }, "was not understood"],
    ["an id that is no number", { op: "unsubscribe", subscriptionIds: ["1"] }, "was not understood"],
    ["an unknown channel", { op: "subscribe", subscriptions: [{ id: 1, channelId: 4_000_000_000 }] }, "there is no channel"],
    ["too many entries", { op: "unsubscribe", subscriptionIds: Array.from({ length: 1_001 }, (_, id) => id) }, "was not understood"],
    [
      "a schema above the limit",
      { op: "advertise", channels: [{ id: 1, topic: "x", encoding: "json", schemaName: "", schema: "x".repeat(MAX_SCHEMA_CHARS + 1) }] },
      "was not understood",
    ],
    ["an empty binary message", Buffer.alloc(0), "opcode (none)"],
    ["an unknown opcode", Buffer.from([9, 0, 0, 0, 0]), "opcode 9"],
    ["a call whose encoding is longer than the message", Buffer.from([2, 1, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255]), "opcode 2"],
    ["a message of an unknown channel", Buffer.from([1, 5, 0, 0, 0, 123, 125]), "the channel 5 was not advertised"],
  ])("that sends %s is told so and stays connected", async (_what, sent, says) => {
    using opened = new TestViewer(manager, viewer);
    await opened.text("serverInfo");
    opened.send(sent);
    expect(await opened.text("status")).toMatchObject({ level: 2, message: expect.stringContaining(says) });
    expect(opened.ws.readyState).toBe(opened.ws.OPEN);
  });

  it("that sends a message above the limit is disconnected", async () => {
    using opened = new TestViewer(manager, viewer);
    await opened.text("serverInfo");
    opened.ws.on("error", () => {});
    opened.send(Buffer.alloc(MAX_MESSAGE_BYTES + 1));
    expect((await once(opened.ws, "close"))[0]).toBe(1009);
  });

  it("that does not read loses its oldest samples and is told how many, while another gets all", async () => {
    const publisher = await program.publisher("arm/image", {});
    using slow = new TestViewer(manager, viewer);
    using fast = new TestViewer(manager, viewer);
    const id = (await slow.channel("arm/image")).id;
    slow.client.subscribe(id);
    fast.client.subscribe((await fast.channel("arm/image")).id);
    // Answered after the subscriptions.
    for (const opened of [slow, fast]) {
      opened.send({ op: "unsubscribe", subscriptionIds: [99] });
      await opened.text("status");
    }
    const seq = (bytes: Buffer): number => JSON.parse(bytes.toString("utf8", 13)).seq;
    const publish = async (number: number) => {
      publisher.publish({ seq: number, data: "x".repeat(500_000) });
      await fast.binary(1, (bytes) => seq(bytes) === number);
      fast.binaries.length = 0;
    };
    await publish(0);
    slow.ws.pause();
    // Beyond the buffers of the two sockets and the queue.
    for (let number = 1; number <= 60; number++) await publish(number);
    slow.ws.resume();
    const notice = await slow.text("status", (text) => text.id === "mgr.dropped");
    expect(notice).toMatchObject({ level: 1, message: expect.stringMatching(/does not read fast enough: \d+ samples were dropped/) });
    await slow.binary(1, (bytes) => seq(bytes) === 60);
    const numbers = slow.binaries.filter((bytes) => bytes[0] === 1).map(seq);
    expect(numbers.length).toBeLessThan(61);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(await slow.text("removeStatus")).toMatchObject({ statusIds: ["mgr.dropped"] });
    publisher.close();
  });

  it("is refused when there are too many", async () => {
    // Connections of earlier tests may not be gone yet.
    await using other = await createManager({ instance: { name: "full", manager: "localhost:0" } }, { listen: true });
    const token = await urlToken(other, "wall", "viewer");
    const viewers = Array.from({ length: MAX_VIEWERS }, () => new TestViewer(other, token));
    await Promise.all(viewers.map((opened) => opened.text("serverInfo")));
    expect(await upgradeStatus(addressOf(other, `/mgr/foxglove?token=${token}`))).toBe(503);
    for (const opened of viewers) opened[Symbol.dispose]();
  });
});

describe("an access token for URLs", () => {
  it("is accepted in the URL of viewers only", async () => {
    const path = (name: string, token = viewer) => addressOf(manager, `${name}?token=${token}`);
    expect(await upgradeStatus(path("/mgr/foxglove"), { origin: ORIGIN })).toBe(101);
    expect(await upgradeStatus(path("/mgr/foxglove"), { origin: "https://other.example" })).toBe(403);
    expect(await upgradeStatus(path("/ws"))).toBe(401);
    expect(await upgradeStatus(path("/mgr/bus"))).toBe(401);
    expect((await fetch(path("/status"))).status).toBe(401);
    const headers = { authorization: `Bearer ${viewer}` };
    expect((await fetch(addressOf(manager, "/status"), { headers })).status).toBe(403);
    expect(await upgradeStatus(addressOf(manager, "/mgr/foxglove"), headers)).toBe(403);
    expect(await upgradeStatus(addressOf(manager, "/mgr/foxglove"))).toBe(401);
    expect(await upgradeStatus(path("/mgr/foxglove", `mgr_${"x".repeat(43)}`))).toBe(401);
    const { secret } = await manager.request({ type: "create_access_token", name: "whole", role: "admin" });
    expect(await upgradeStatus(path("/mgr/foxglove", secret))).toBe(403);
    expect(log.filter((msg) => msg.includes("mgr_"))).toEqual([]);
  });

  it("opens recordings by URL, if it may download", async () => {
    const query = "name=none&host=none&file=none.mcap";
    const get = (token: string) =>
      fetch(addressOf(manager, `/mgr/recording/none.mcap?${query}&token=${token}`), { headers: { origin: ORIGIN } });
    expect((await get(viewer)).status).toBe(403);
    const answer = await get(await urlToken(manager, "files", "viewer", { may_download: true }));
    expect(answer.status).toBe(404);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("access-control-expose-headers")).toContain("Accept-Ranges");
  });

  it("ends its connections when it is revoked", async () => {
    using opened = new TestViewer(manager, await urlToken(manager, "short", "viewer"));
    await opened.text("serverInfo");
    const closed = once(opened.ws, "close");
    await manager.request({ type: "revoke_access_token", name: "short" });
    expect((await closed)[0]).toBe(1008);
  });
});
