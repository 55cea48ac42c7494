import { headers } from "@nats-io/nats-core";
import { expect, it } from "vitest";
import { subjectOfTopic } from "../../../../src/base/topics/topic-subject.ts";
import { Tap, type TappedMessage } from "../../../../src/features/data-plane/host/tap.ts";
import { wallClockNs } from "../../../../src/features/data-plane/wall-clock.ts";
import { RegistryRig, register } from "../../../bus/registry/registry-rig.ts";

function listen(tap: Tap, pattern: string) {
  const messages: TappedMessage[] = [];
  const unsubscribe = tap.add(pattern, (message) => messages.push({ ...message, payload: Buffer.from(message.payload) }));
  return { messages, unsubscribe, texts: () => messages.map(({ topic, payload }) => `${topic} ${Buffer.from(payload)}`) };
}

it("a tap passes what a program publishes, with definition, times and sequence, to each listener once", async () => {
  await using rig = await RegistryRig.start();
  const tap = new Tap(rig.registry, () => {});
  const arm = listen(tap, "arm/*");
  const all = listen(tap, "*");
  const program = await rig.connect("arm");
  const topic = { name: "arm/größe", encoding: "json", definition: '{"title":"Größe"}', keep_last: false };
  await register(program, { name: "arm", topics: [topic] });
  const before = wallClockNs();
  const marks = headers();
  marks.set("Mgr-Seq", "9007199254740991");
  marks.set("Mgr-Time", "1700000000123456789");
  program.publish(subjectOfTopic("arm/größe"), "5 µm", { headers: marks });
  program.publish("topic.other", "plain");
  await program.flush();
  expect(arm.messages).toHaveLength(1);
  const [message] = arm.messages;
  expect(message).toEqual({
    topic: "arm/größe",
    definition: '{"title":"Größe"}',
    definitionName: "Größe",
    encoding: "json",
    received: expect.any(BigInt),
    published: 1_700_000_000_123_456_789n,
    sequence: 9_007_199_254_740_991n,
    payload: Buffer.from("5 µm"),
  });
  expect((message?.received ?? 0n) >= before).toBe(true);
  expect(all.texts()).toEqual(["arm/größe 5 µm", "other plain"]);
  expect(all.messages[1]).toMatchObject({ encoding: "raw", published: null, sequence: null });
});

it("a topic without a logger costs nothing, and one that appears later is recorded", async () => {
  await using rig = await RegistryRig.start();
  const tap = new Tap(rig.registry, () => {});
  const first = listen(tap, "a");
  const program = await rig.connect("x");
  program.publish("topic.a", "1");
  await program.flush();
  first.unsubscribe();
  program.publish("topic.a", "2");
  await program.flush();
  expect(first.texts()).toEqual(["a 1"]);
  const second = listen(tap, "a");
  program.publish("topic.a", "3");
  await program.flush();
  expect([first.texts(), second.texts()]).toEqual([["a 1"], ["a 3"]]);
});

it("a listener that throws affects neither the publisher nor the other listeners", async () => {
  await using rig = await RegistryRig.start();
  const logged: string[] = [];
  const tap = new Tap(rig.registry, (msg) => logged.push(msg));
  tap.add("*", () => {
    throw new Error("no room");
  });
  const other = listen(tap, "a");
  const program = await rig.connect("x");
  program.publish("topic.a", "1");
  await program.flush();
  expect(program.isClosed()).toBe(false);
  expect(other.texts()).toEqual(["a 1"]);
  expect(logged).toEqual(["recording 'a' failed: no room"]);
});
