import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectOfTopic } from "../../../../src/base/topics/topic-subject.ts";
import { ARM_STATE_DESCRIPTORS } from "../arm-state-protobuf.ts";
import { ClientRig, textOf } from "./client-rig.ts";
import type { Hub } from "./hub.ts";
import { COMPLETE } from "./languages.ts";
import type { Program } from "./program.ts";
import { vectors } from "./vectors.ts";

describe.each(COMPLETE)("definitions of topics by the client library in $name", (language) => {
  let rig: ClientRig;
  let hub: Hub;
  let program: Program;

  beforeAll(async () => {
    rig = await ClientRig.start(language);
    ({ hub, program } = rig);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each(vectors.cdr.map((row, index) => ({ ...row, topic: `cdr/${index}` })))(
    "writes and reads $hex",
    async ({ definition, value, hex, topic }) => {
      const messages = await hub.collect(subjectOfTopic(topic));
      await program.do("publisher", topic, JSON.stringify(definition));
      await program.do("subscribe", topic);
      await program.do("publish", topic, JSON.stringify(value));
      await expect.poll(() => messages.map(({ data }) => Buffer.from(data).toString("hex"))).toEqual([hex]);
      await expect.poll(() => program.received(topic)).toEqual([{ value, seq: 1, isLast: false, problem: null, late: null }]);
    },
  );

  it("topics without a definition carry bytes", async () => {
    await program.do("publisher", "raw", "null");
    await program.do("subscribe", "raw");
    await program.do("publish", "raw", '"AP8Q"', "true");
    await expect.poll(() => program.received("raw").map(({ value }) => value)).toEqual(["AP8Q"]);
    expect(hub.topic("raw")?.encoding).toBe("raw");
    const { data } = await hub.bus.request("topic_info.raw", "", { timeoutMs: 30_000 });
    expect(JSON.parse(textOf(data))).toEqual({ name: "raw", encoding: "raw", definition: "", definition_name: "" });
  });

  it("says what its topics are, and asks for the definition again when a publisher was restarted", async () => {
    await program.do("publisher", "info/own", JSON.stringify("float64 x"));
    const { data } = await hub.bus.request("topic_info.info.own", "", { timeoutMs: 30_000 });
    expect(JSON.parse(textOf(data))).toEqual({ name: "info/own", encoding: "cdr", definition: "float64 x", definition_name: "" });

    // The subscription is there before the publisher.
    await program.do("subscribe", "info/late");
    let definition = "uint8 a";
    hub.bus.subscribe("topic_info.info.late", ({ reply }) => {
      if (reply) hub.bus.publish(reply, JSON.stringify({ name: "info/late", encoding: "cdr", definition, definition_name: "" }));
    });
    await hub.bus.flush();
    const send = (seq: number) => hub.send("topic.info.late", Uint8Array.of(0, 1, 0, 0, 7), { "Mgr-Seq": String(seq) });
    send(1);
    send(2);
    await expect.poll(() => program.received("info/late").map(({ value }) => value)).toEqual([{ a: 7 }, { a: 7 }]);
    definition = "uint8 b";
    send(1);
    await expect.poll(() => program.received("info/late").at(2)?.value).toEqual({ b: 7 });
  });

  it("a message that does not fit its definition is delivered as bytes, with the reason", async () => {
    await program.do("publisher", "info/broken", JSON.stringify("float64 x"));
    await program.do("subscribe", "info/broken");
    hub.send("topic.info.broken", Uint8Array.of(0, 1, 0, 0, 7), {});
    await expect
      .poll(() => program.received("info/broken"))
      .toEqual([{ value: "AAEAAAc=", seq: null, isLast: false, problem: expect.stringMatching(/\w/), late: null }]);
  });

  it("registers the name of a message of Foxglove as JSON", async () => {
    await program.do("publisher", "info/color", JSON.stringify("foxglove.Color"));
    expect(hub.topic("info/color")).toMatchObject({ encoding: "json", definition_name: "foxglove.Color" });
    const color = { r: 1, g: 0, b: 0, a: 1 };
    await program.do("subscribe", "info/color");
    await program.do("publish", "info/color", JSON.stringify(color));
    await expect.poll(() => program.received("info/color").map(({ value }) => value)).toEqual([color]);
  });

  it("passes on the bytes of Protocol Buffers", async () => {
    const definition = Buffer.from(ARM_STATE_DESCRIPTORS).toString("base64");
    await program.do("publisher", "info/proto", JSON.stringify({ protobuf: definition, message: "demo.ArmState" }));
    expect(hub.topic("info/proto")).toMatchObject({ encoding: "protobuf", definition, definition_name: "demo.ArmState" });
    await program.do("subscribe", "info/proto");
    await program.do("publish", "info/proto", '"AP8Q"', "true");
    await expect.poll(() => program.received("info/proto").map(({ value }) => value)).toEqual(["AP8Q"]);
    await expect(program.do("publish", "info/proto", '{"position": 1}')).rejects.toMatchObject({
      message: expect.stringMatching(/bytes|Uint8Array/),
    });
  });

  it("refuses values that do not fit", async () => {
    await expect(program.do("publish", "info/own", '{"x": "fast"}')).rejects.toMatchObject({ message: expect.stringContaining("x") });
  });
});
