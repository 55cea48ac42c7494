import { expect, it } from "vitest";
import { startRig } from "../../../transport/rig.ts";

const sample = (value: number) => ({
  type: "topic_sample" as const,
  name: "arm/state",
  ts: "2026-11-22T08:00:00.000",
  value,
  undecoded: 0,
});

it("samples are sent to the connections that subscribe to the topic, until they unsubscribe or close", async () => {
  await using rig = await startRig([]);
  const [first, second] = [await rig.connect(), await rig.connect()];
  const { dataPlane } = rig.control.features;
  const viewers = () => dataPlane.viewers.get("arm/state") ?? new Set();
  const notify = (value: number) => {
    const frame = sample(value);
    for (const viewer of viewers()) viewer(frame);
  };
  const subscribe = { type: "subscribe_topic", name: "arm/state", request_id: 1 };
  expect(await first.ask(subscribe)).toMatchObject({ type: "ack" });
  expect(await second.ask({ ...subscribe, max_rate: 500 })).toMatchObject({ type: "ack" });
  expect(dataPlane.calls).toEqual([
    ["followTopic", "arm/state", 10],
    ["followTopic", "arm/state", 60],
  ]);
  // Again: another rate, and no second copy of each sample.
  await first.ask({ ...subscribe, max_rate: 5 });
  expect(viewers().size).toBe(2);
  notify(1);
  const values = (frames: readonly { type: string; [field: string]: unknown }[]) =>
    frames.filter(({ type }) => type === "topic_sample").map(({ value }) => value);
  await first.ask({ type: "unsubscribe_topic", name: "arm/state" });
  notify(2);
  // Answered after the samples.
  await first.ask({ type: "get_snapshot" });
  await second.ask({ type: "get_snapshot" });
  expect(values(first.frames)).toEqual([1]);
  expect(values(second.frames)).toEqual([1, 2]);
  second.ws.close();
  await expect.poll(() => viewers().size).toBe(0);
});

it("a focused connection may not request clients, topics, services and parameters", async () => {
  await using rig = await startRig(["sim/world"]);
  const client = await rig.connect("?single_process=sim/world");
  for (const type of ["request_clients", "request_topics", "request_services"])
    expect(await client.ask({ type })).toMatchObject({ type: "error", code: "out_of_scope" });
  expect(await client.ask({ type: "subscribe_topic", name: "x" })).toMatchObject({ type: "error", code: "out_of_scope" });
});
