import { headers } from "@nats-io/nats-core";
import { expect, it } from "vitest";
import type { TopicDetail, TopicSample } from "../../../../src/features/data-plane/manager/data-plane.ts";
import { register } from "../../../bus/registry/registry-rig.ts";
import { DataPlaneRig } from "./data-plane-rig.ts";

const CDR_INT64 = Buffer.from([0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 32, 0]);

it("samples are decoded by the topic's definition, with the time of publishing, for all viewers at once", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.connect("hub", "driver");
  const topics = [
    { name: "arm/count", encoding: "cdr", definition: "int64 n", definition_name: "arm/msg/Count" },
    { name: "arm/state", encoding: "json" },
    { name: "arm/raw", encoding: "raw" },
  ];
  await register(client, { name: "driver", topics });
  await expect.poll(() => rig.topic("arm/raw")).toBeDefined();
  const seen: [TopicSample[], TopicSample[]] = [[], []];
  const unsubscribe = seen.flatMap((samples) =>
    topics.map(({ name }) => rig.dataPlane.followTopic(name, { maxRate: 60, receive: (sample) => samples.push(sample) })),
  );
  await rig.subscribed();
  const at = headers();
  at.set("Mgr-Time", "1700000000123456789");
  client.publish("topic.arm.count", CDR_INT64, { headers: at });
  client.publish("topic.arm.state", '{"x":1}');
  client.publish("topic.arm.raw", "abc");
  for (const samples of seen) {
    await expect.poll(() => samples.length).toBe(3);
    const values = Object.fromEntries(samples.map(({ name, value }) => [name, value]));
    expect(values).toEqual({ "arm/count": { n: "9007199254740993" }, "arm/state": { x: 1 }, "arm/raw": "YWJj" });
    expect(samples.find(({ name }) => name === "arm/count")?.ts).toBe("2023-11-14T22:13:20.123");
  }
  // Decoded once: it is the same object.
  expect(seen[0].find(({ name }) => name === "arm/state")).toBe(seen[1].find(({ name }) => name === "arm/state"));
  client.publish("topic.arm.count", "too short");
  client.publish("topic.arm.state", "not json");
  await expect.poll(() => seen[0].length).toBe(5);
  expect(seen[0][3]?.value).toMatchObject({ error: expect.stringContaining("does not fit"), base64: expect.any(String) });
  expect(seen[0].map(({ name, undecoded }) => [name, undecoded]).slice(3)).toEqual([
    ["arm/count", 1],
    ["arm/state", 1],
  ]);
  expect(seen[0].slice(0, 3).every(({ undecoded }) => undecoded === 0)).toBe(true);
  for (const end of unsubscribe) end();
  // The interest goes with the last viewer.
  await expect.poll(() => rig.subscriptionsTo("topic.arm.state")).toBe(0);
});

it("a topic whose definition cannot be parsed reports that", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.connect("hub", "driver");
  await register(client, { name: "driver", topics: [{ name: "arm/state", encoding: "cdr", definition: "NoSuch y" }] });
  await expect.poll(() => rig.topic("arm/state")?.problem).toMatch(/^its messages cannot be decoded: .*NoSuch/);
});

it("a viewer gets no more samples than requested, and always the newest one in the end", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.client("hub", "driver", ["fast"]);
  const slow: TopicSample[] = [];
  rig.dataPlane.followTopic("fast", { maxRate: 2, receive: (sample) => slow.push(sample) });
  await rig.subscribed();
  const begin = performance.now();
  for (let n = 1; n <= 100; n++) client.publish("topic.fast", String(n));
  const last = Buffer.from("100").toString("base64");
  await expect.poll(() => slow.at(-1)?.value).toBe(last);
  // One at once, and then two a second.
  expect(slow.length).toBeLessThanOrEqual(2 + (2 * (performance.now() - begin)) / 1_000);
  // A later viewer of the same topic begins with what is known.
  const late: TopicSample[] = [];
  rig.dataPlane.followTopic("fast", { maxRate: 2, receive: (sample) => late.push(sample) });
  await expect.poll(() => late.map(({ value }) => value)).toEqual([last]);
});

it("details of a topic have its ends, definition and last sample", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.connect("hub", "driver");
  await register(client, {
    name: "driver",
    topics: [
      {
        name: "arm/state",
        encoding: "json",
        definition: '{"title":"S"}',
        keep_last: true,
        priority: 3,
        max_age_ms: 500,
        reliable_within: 1_000_000,
      },
    ],
  });
  client.publish("topic.arm.state", '{"x":1}');
  const viewer = await rig.connect("hub", "viewer");
  viewer.subscribe("topic.arm.*");
  await viewer.flush();
  await expect.poll(() => rig.topic("arm/state")).toMatchObject({ published_packets: 1, subscribers: 1, message_definition: "S" });
  let detail: TopicDetail | null = null;
  await expect
    .poll(async () => {
      detail = await rig.dataPlane.topicDetail("arm/state");
      return detail.last_sample?.value;
    })
    .toEqual({ x: 1 });
  expect(detail).toMatchObject({
    topic: { name: "arm/state" },
    publisher: { client_id: rig.clientNamed("driver")?.id, client: "driver", host: "one" },
    subscribers: [{ client_id: rig.clientNamed("viewer")?.id, client: "viewer", host: "one" }],
    definition: '{"title":"S"}',
    encoding: "json",
    keep_last: true,
    priority: 3,
    max_age_ms: 500,
    reliable_within: 1_000_000,
    kept_dropped: 0,
  });
  await expect(rig.dataPlane.topicDetail("no/such")).rejects.toMatchObject({ code: "not_found" });
  await expect(rig.dataPlane.topicDetail("not//valid")).rejects.toMatchObject({ code: "not_found" });
  expect(await rig.dataPlane.topicsStat(1)).toMatchObject({ topics: [{ name: "arm/state" }] });
});

it("a viewer that names fields gets their numbers in all samples, however few frames it gets", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.connect("hub", "driver");
  await register(client, { name: "driver", topics: [{ name: "arm/state", encoding: "json" }] });
  await expect.poll(() => rig.topic("arm/state")).toBeDefined();
  const samples: TopicSample[] = [];
  rig.dataPlane.followTopic("arm/state", { maxRate: 2, receive: (sample) => samples.push(sample), fields: ["x[0]", "name", ""] });
  await rig.subscribed();
  for (let n = 1; n <= 100; n++) {
    const at = headers();
    at.set("Mgr-Time", String(1_700_000_000_123_000_000n + BigInt(n) * 1_000_000n));
    client.publish("topic.arm.state", JSON.stringify({ x: [n], name: n === 3 ? "NaN" : n / 2 }), { headers: at });
  }
  const batches = () => samples.map(({ batch }) => batch ?? { times: [], values: [] });
  await expect.poll(() => batches().flatMap(({ times }) => times).length).toBe(100);
  const column = (index: number) => batches().flatMap(({ values }) => values[index] ?? []);
  expect(column(0)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  expect(column(1).slice(0, 4)).toEqual([0.5, 1, null, 2]);
  expect(column(2)).toEqual(Array.from({ length: 100 }, () => null));
  expect(samples.at(-1)?.value).toEqual({ x: [100], name: 50 });
  expect(samples.length).toBeLessThan(100);
  expect(batches()[0]?.times[0]).toBe(1_700_000_000_124_000);
});

it("samples that do not fit the named message of Foxglove are counted and shown with the reason, those of Protocol Buffers are bytes", async () => {
  await using rig = await DataPlaneRig.start();
  const client = await rig.connect("hub", "driver");
  const topics = [
    { name: "arm/color", encoding: "json", definition_name: "foxglove.Color", keep_last: true },
    { name: "arm/proto", encoding: "protobuf" },
  ];
  await register(client, { name: "driver", topics });
  await expect.poll(() => rig.topic("arm/proto")).toBeDefined();
  const color = { r: 1, g: 0.5, b: 0, a: 1 };
  client.publish("topic.arm.color", JSON.stringify(color));
  await client.flush();
  const samples: TopicSample[] = [];
  for (const { name } of topics) rig.dataPlane.followTopic(name, { maxRate: 60, receive: (sample) => samples.push(sample) });
  await expect.poll(() => samples.length).toBe(1);
  client.publish("topic.arm.color", JSON.stringify({ ...color, g: "green" }));
  await expect.poll(() => samples.length).toBe(2);
  client.publish("topic.arm.proto", "{}");
  await expect.poll(() => samples.length).toBe(3);
  const error = expect.stringMatching(/does not fit the definition of its topic: g: .*number/);
  expect(samples).toMatchObject([
    { value: color, undecoded: 0 },
    { value: { error, base64: expect.any(String) }, undecoded: 1 },
    { name: "arm/proto", value: "e30=", undecoded: 0 },
  ]);
});
