import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectOfTopic } from "../../../../src/base/topics/topic-subject.ts";
import { RawClient } from "../../../bus/bus-rig.ts";
import { ClientRig, textOf } from "./client-rig.ts";
import type { Hub } from "./hub.ts";
import { LANGUAGES } from "./languages.ts";
import { Program } from "./program.ts";
import { vectors } from "./vectors.ts";

const schema = (title: string) => JSON.stringify({ title, type: "object" });
const now = () => BigInt(Date.now()) * 1_000_000n;

describe.each(LANGUAGES)("topics by the client library in $name", (language) => {
  let rig: ClientRig;
  let hub: Hub;
  let program: Program;

  beforeAll(async () => {
    rig = await ClientRig.start(language);
    ({ hub, program } = rig);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it("registers with its name and pid, then with its topics", async () => {
    expect(hub.client("arm/driver")).toMatchObject({ pid: program.child.pid, library_version: 1, svc_debug: false, topics: [] });
    await program.do("publisher", "reg/state", schema("demo.State"), "true");
    expect(hub.client("arm/driver")?.topics).toMatchObject([
      { name: "reg/state", encoding: "json", definition_name: "demo.State", keep_last: true },
    ]);
    expect(JSON.parse(hub.topic("reg/state")?.definition ?? "")).toEqual({ title: "demo.State", type: "object" });
    await program.do("unpublish", "reg/state");
    await expect.poll(() => hub.client("arm/driver")?.topics).toEqual([]);
  });

  it("MGR_CLIENT_NAME takes the place of its name", async () => {
    await using renamed = await Program.start(rig.command, hub.url, "other", { MGR_CLIENT_NAME: "renamed", MGR_DEBUG: "1" });
    expect(hub.client("renamed")).toMatchObject({ pid: renamed.child.pid, svc_debug: true });
    expect(hub.client("other")).toBeUndefined();
  });

  it("a topic that another client has is refused with the broker's words", async () => {
    await hub.take("taken/state");
    await expect(program.do("publisher", "taken/state", schema("x"))).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/'taken\/state'.*'other'/),
    });
    expect(hub.client("other")?.topics.map(({ name }) => name)).toEqual(["taken/state"]);
  });

  it("registers how its messages wait for slow receivers", async () => {
    await program.do("publisher", "waits/state", schema("x"), "false", "5,1500,200000");
    expect(hub.topic("waits/state")).toMatchObject({ priority: 5, max_age_ms: 1_500, reliable_within: 200_000 });
    await program.do("publisher", "waits/usual", schema("x"));
    expect(hub.topic("waits/usual")).toMatchObject({ priority: 0, max_age_ms: null, reliable_within: null });
  });

  it.each([
    { option: "8,,", names: /priority.*0 to 7/ },
    { option: "-1,,", names: /priority.*0 to 7/ },
    { option: ",-1,", names: /max_?age_?ms.*1/i },
    { option: ",,-1", names: /reliable_?within.*1 to 4194304/i },
    { option: ",,4194305", names: /reliable_?within.*1 to 4194304/i },
  ])("refuses a priority, an age or a size that is out of range: '$option'", async ({ option, names }) => {
    await expect(program.do("publisher", "range/state", schema("x"), "false", option)).rejects.toMatchObject({
      code: "bad_field",
      message: expect.stringMatching(names),
    });
    expect(hub.topic("range/state")).toBeUndefined();
    // The name is free.
    await program.do("publisher", "range/state", schema("x"));
    await program.do("unpublish", "range/state");
    // The broker hears of it a moment later than the program: the next case begins without the topic.
    await expect.poll(() => hub.topic("range/state"), { timeout: 60_000 }).toBeUndefined();
  });

  it("the program hears of each message of a reliable topic that the broker refuses, and goes on once the receiver has read", async () => {
    const message = JSON.stringify({ text: "x".repeat(50_000) });
    await program.do("publisher", "safe/state", schema("x"), "false", ",,200000");
    const slow = await RawClient.connect({ host: "127.0.0.1", port: hub.port });
    slow.send(`CONNECT {"verbose":false,"pedantic":false,"auth_token":"${hub.token}"}\r\nSUB topic.safe.state 1\r\nPING\r\n`);
    await slow.until((text) => text.includes("PONG"));
    slow.socket.pause();
    const refusal = () => program.do("refused", "safe/state");
    const publish = () => program.do("publish", "safe/state", message);
    await expect
      .poll(
        async () => {
          await publish();
          return refusal();
        },
        { interval: 1, timeout: 120_000 },
      )
      .toMatch(/Publish to "topic\.safe\.state": a subscriber has not read the 200000 bytes that may wait/);
    expect(await program.do("counters")).toMatchObject({ refused: expect.toSatisfy((count: number) => count >= 1) });
    const taken = hub.topic("safe/state")?.counters.packets ?? 0;
    slow.socket.resume();
    await expect
      .poll(
        async () => {
          await publish();
          return hub.topic("safe/state")?.counters.packets;
        },
        { timeout: 120_000 },
      )
      .toBeGreaterThan(taken);
    expect(hub.topic("safe/state")?.counters.dropped).toBe(0);
    slow.close();
  });

  it("gives the kept message of another program to its subscribers", async () => {
    await program.do("publisher", "kept/state", schema("x"), "true");
    await program.do("publish", "kept/state", '{"n":1}');
    await program.do("publish", "kept/state", '{"n":2}');
    await program.do("subscribe", "kept/state");
    await expect.poll(() => program.received("kept/state")).toMatchObject([{ seq: 2, isLast: true }]);
  });

  it("publishes on the topic's subject, numbered from 1, with the time", async () => {
    const messages = await hub.collect("topic.*.x%2Ey");
    await program.do("publisher", "größe/x.y", schema("x"));
    const before = now();
    for (const n of [1, 2, 3]) expect(await program.do("publish", "größe/x.y", JSON.stringify({ n }))).toBe(true);
    await expect.poll(() => messages.length).toBe(3);
    const after = now() + 1_000_000_000n;
    expect(messages.map(({ subject, data, headers }) => [subject, JSON.parse(textOf(data)), headers?.get("Mgr-Seq")])).toEqual(
      [1, 2, 3].map((n) => [subjectOfTopic("größe/x.y"), { n }, String(n)]),
    );
    for (const { headers } of messages) {
      const time = BigInt(headers?.get("Mgr-Time") ?? "");
      expect(time >= before && time <= after, `${before} ${time} ${after}`).toBe(true);
    }
  });

  it("names the messages that led to a message", async () => {
    const messages = await hub.collect("topic.>");
    for (const topic of new Set(vectors.stages.map((row) => row.topic))) await program.do("publisher", topic, schema("x"));
    const causes = new Set(vectors.stages.map(({ cause }) => cause.topic));
    for (const topic of causes) await program.do("subscribe", topic);
    // The program also receives what it publishes itself, numbered, in its own time.
    const ofHub = (topic: string) => program.received(topic).filter(({ seq }) => seq === null).length;
    const ofItself = (topic: string) => program.received(topic).filter(({ seq }) => seq !== null).length;
    const headers: (string | null)[] = [];
    for (const { cause, topic } of vectors.stages) {
      const [before, own] = [ofHub(cause.topic), ofItself(topic)];
      const marks = { ...(cause.time && { "Mgr-Time": cause.time }), ...(cause.stages && { "Mgr-Stages": cause.stages }) };
      hub.send(subjectOfTopic(cause.topic), "{}", marks);
      await expect.poll(() => ofHub(cause.topic)).toBe(before + 1);
      const sent = messages.length;
      await program.do("publish_after", topic, "{}");
      const isOwn = ({ subject, headers }: (typeof messages)[number]) => subject === subjectOfTopic(topic) && headers?.get("Mgr-Seq");
      await expect.poll(() => messages.slice(sent).filter(isOwn).length).toBe(1);
      headers.push(messages.slice(sent).find(isOwn)?.headers?.get("Mgr-Stages") || null);
      if (causes.has(topic)) await expect.poll(() => ofItself(topic)).toBe(own + 1);
    }
    expect(headers).toEqual(vectors.stages.map(({ header }) => header));
  });

  it.each(vectors.loss.map((row, index) => ({ ...row, topic: `loss/${index}` })))(
    "counts $missed missed messages of $seq",
    async ({ seq, missed, topic }) => {
      const before = (await program.do("counters")) as { received: number; missed: number };
      await program.do("subscribe", topic);
      for (const each of seq) hub.send(subjectOfTopic(topic), "{}", each === null ? {} : { "Mgr-Seq": String(each), "Mgr-Time": "1" });
      await expect.poll(() => program.received(topic).map((message) => message.seq)).toEqual(seq);
      expect(await program.do("counters")).toMatchObject({ received: before.received + seq.length, missed: before.missed + missed });
    },
  );

  it("a kept message is marked, and one that was received before is dropped", async () => {
    await program.do("subscribe", "kept");
    const marks = { "Mgr-Seq": "4", "Mgr-Time": "77" };
    hub.send("topic.kept", "{}", { ...marks, "Mgr-Last": "1" });
    hub.send("topic.kept", "{}", { ...marks, "Mgr-Last": "1" });
    hub.send("topic.kept", "{}", { "Mgr-Seq": "5", "Mgr-Time": "78" });
    await expect
      .poll(() => program.received("kept").map(({ seq, isLast }) => [seq, isLast]))
      .toEqual([
        [4, true],
        [5, false],
      ]);
  });

  it("survives a restart of the broker: registers and subscribes again, also to what was subscribed meanwhile, goes on counting, and counts what it could not send", async () => {
    await program.do("publisher", "again", schema("again"));
    await program.do("subscribe", "again/in");
    expect(await program.do("publish", "again", "{}")).toBe(true);
    const { unsent } = (await program.do("counters")) as { unsent: number };
    await hub.end();
    expect(hub.client("arm/driver")).toBeUndefined();
    // A message may still be given to a connection that has just ended.
    let published = 1;
    await expect
      .poll(async () => {
        published++;
        return program.do("publish", "again", "{}");
      })
      .toBe(false);
    await program.do("subscribe", "again/later");
    await hub.begin();
    await expect.poll(() => hub.client("arm/driver")?.topics.map(({ name }) => name)).toContain("again");
    const messages = await hub.collect("topic.again");
    expect(await program.do("publish", "again", "{}")).toBe(true);
    await expect.poll(() => messages.map(({ headers }) => headers?.get("Mgr-Seq"))).toEqual([String(published + 1)]);
    expect(((await program.do("counters")) as { unsent: number }).unsent).toBeGreaterThan(unsent);
    hub.send("topic.again.in", "{}", { "Mgr-Seq": "1" });
    hub.send("topic.again.later", "{}", { "Mgr-Seq": "7" });
    await expect.poll(() => program.received("again/later").map(({ seq }) => seq)).toEqual([7]);
    await expect.poll(() => program.received("again/in").map(({ seq }) => seq)).toEqual([1]);
  });
});
