import { Svcm } from "@nats-io/services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectOfTopic } from "../../src/base/topic-subject.ts";
import { Hub } from "./hub.ts";
import { PYTHON, TYPESCRIPT } from "./languages.ts";
import { Program } from "./program.ts";
import { vectors } from "./vectors.ts";

const ECHO = { name: "test.Echo", endpoints: { call: { request: { type: "object" }, description: "Echoes" }, other: {} } };
const SPECS = {
  "arm/gain": { type: "float", value: 0.5, unit: "1/s", min: 0, max: 10, description: "P gain" },
  steps: { type: "int", value: 3, min: 1 },
  enabled: { type: "bool", value: true },
  mode: { type: "string", value: "größe" },
};
/** Ends with the first answer: there is one provider of each service. */
const FIRST = { strategy: "count", maxMessages: 1, maxWait: 30_000 } as const;
const now = () => BigInt(Date.now()) * 1_000_000n;

describe.each([TYPESCRIPT, PYTHON])("the client library in $name", ({ command, isComplete }) => {
  let hub: Hub;
  let program: Program;
  const text = (data: Uint8Array | undefined) => Buffer.from(data ?? []).toString();
  const schema = (title: string) => JSON.stringify({ title, type: "object" });

  beforeAll(async () => {
    hub = await Hub.start();
    program = await Program.start(command, hub.url, "arm/driver");
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });

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
    await using renamed = await Program.start(command, hub.url, "other", { MGR_CLIENT_NAME: "renamed", MGR_DEBUG: "1" });
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
    expect(messages.map(({ subject, data, headers }) => [subject, JSON.parse(text(data)), headers?.get("Mgr-Seq")])).toEqual(
      [1, 2, 3].map((n) => [subjectOfTopic("größe/x.y"), { n }, String(n)]),
    );
    for (const { headers } of messages) {
      const time = BigInt(headers?.get("Mgr-Time") ?? "");
      expect(time >= before && time <= after, `${before} ${time} ${after}`).toBe(true);
    }
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

  it("survives a restart of the broker: registers and subscribes again, goes on counting, and counts what it could not send", async () => {
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
    await hub.begin();
    await expect.poll(() => hub.client("arm/driver")?.topics.map(({ name }) => name)).toContain("again");
    const messages = await hub.collect("topic.again");
    expect(await program.do("publish", "again", "{}")).toBe(true);
    await expect.poll(() => messages.map(({ headers }) => headers?.get("Mgr-Seq"))).toEqual([String(published + 1)]);
    expect(((await program.do("counters")) as { unsent: number }).unsent).toBeGreaterThan(unsent);
    hub.send("topic.again.in", "{}", { "Mgr-Seq": "1" });
    await expect.poll(() => program.received("again/in").map(({ seq }) => seq)).toEqual([1]);
  });

  describe.runIf(isComplete)("with definitions", () => {
    it.each(vectors.cdr.map((row, index) => ({ ...row, topic: `cdr/${index}` })))(
      "writes and reads $hex",
      async ({ definition, value, hex, topic }) => {
        const messages = await hub.collect(subjectOfTopic(topic));
        await program.do("publisher", topic, JSON.stringify(definition));
        await program.do("subscribe", topic);
        await program.do("publish", topic, JSON.stringify(value));
        await expect.poll(() => messages.map(({ data }) => Buffer.from(data).toString("hex"))).toEqual([hex]);
        await expect.poll(() => program.received(topic)).toEqual([{ value, seq: 1, isLast: false, problem: null }]);
      },
    );

    it("topics without a definition carry bytes", async () => {
      await program.do("publisher", "raw", "null");
      await program.do("subscribe", "raw");
      await program.do("publish", "raw", '"AP8Q"', "true");
      await expect.poll(() => program.received("raw").map(({ value }) => value)).toEqual(["AP8Q"]);
      expect(hub.topic("raw")?.encoding).toBe("raw");
    });

    it("says what its topics are, and asks for the definition again when a publisher was restarted", async () => {
      await program.do("publisher", "info/own", JSON.stringify("float64 x"));
      const { data } = await hub.bus.request("topic_info.info.own", "", { timeoutMs: 30_000 });
      expect(JSON.parse(text(data))).toEqual({ name: "info/own", encoding: "cdr", definition: "float64 x", definition_name: "" });

      let definition = "uint8 a";
      hub.bus.subscribe("topic_info.info.late", ({ reply }) => {
        if (reply) hub.bus.publish(reply, JSON.stringify({ name: "info/late", encoding: "cdr", definition, definition_name: "" }));
      });
      await hub.bus.flush();
      await program.do("subscribe", "info/late");
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
        .toEqual([{ value: "AAEAAAc=", seq: null, isLast: false, problem: expect.stringMatching(/\w/) }]);
    });

    it("refuses values that do not fit", async () => {
      await expect(program.do("publish", "info/own", '{"x": "fast"}')).rejects.toMatchObject({ message: expect.stringContaining("x") });
    });
  });

  describe.runIf(isComplete)("services", () => {
    it("are found, described and counted as NATS micro services are", async () => {
      const found = new Svcm(hub.bus.connection).client(FIRST);
      const check = async ({ name, nats_name, endpoint, subject }: (typeof vectors.services)[number]) => {
        await program.do("provide", name, JSON.stringify({ name: "test.Vector", endpoints: { [endpoint]: {} } }));
        const [info] = await all(await found.info(nats_name));
        expect(info).toMatchObject({
          name: nats_name,
          version: "1.0.0",
          metadata: { name, provider: "arm/driver", host: "bench" },
          endpoints: [{ name: endpoint, subject, queue_group: "q" }],
        });
        expect(JSON.parse(info?.metadata?.interface ?? "")).toEqual({ name: "test.Vector", endpoints: { [endpoint]: {} } });
        expect((await all(await found.ping(nats_name, info?.id))).map(({ id }) => id)).toEqual([info?.id]);
        await program.do("call", name, "{}", endpoint);
        await expect(program.do("call", name, '{"crash": "out of order"}', endpoint)).rejects.toThrow("out of order");
        expect(await all(await found.stats(nats_name))).toMatchObject([
          { endpoints: [{ name: endpoint, num_requests: 2, num_errors: 1, last_error: "out of order" }] },
        ]);
      };
      await Promise.all(vectors.services.map(check));
    });

    it("answers requests, and says what went wrong", async () => {
      await program.do("provide", "test/echo", JSON.stringify(ECHO));
      const ask = async (body: string, endpoint = "call") => {
        const { data, headers } = await hub.bus.request(`svc.test.echo.${endpoint}`, body, { timeoutMs: 30_000 });
        return [headers?.get("Nats-Service-Error-Code") ?? "", headers?.get("Nats-Service-Error") ?? "", text(data)];
      };
      expect(JSON.parse((await ask('{"a": "größe"}', "other"))[2] ?? "")).toEqual({ echo: { a: "größe" }, endpoint: "other" });
      expect((await ask(""))[0]).toBe("");
      expect(await ask("{")).toEqual(["400", "the request is not JSON", ""]);
      expect(await ask('{"fail": {"code": 418, "text": "größer als\\r\\nerlaubt"}}')).toEqual(["418", "größer als erlaubt", ""]);
      expect(await ask('{"crash": "boom"}')).toEqual(["500", "boom", ""]);
    });

    it("calls services, and tells their errors from missing and silent ones", async () => {
      expect(await program.do("call", "test/echo", '{"n": 1}')).toEqual({ echo: { n: 1 }, endpoint: "call" });
      await expect(program.do("call", "test/echo", '{"fail": {"code": 418, "text": "no"}}')).rejects.toMatchObject({
        serviceCode: 418,
        message: "no",
      });
      await expect(program.do("call", "test/missing", "{}")).rejects.toMatchObject({
        code: "not_found",
        message: expect.stringContaining("test/missing"),
      });
      hub.bus.subscribe("svc.test.silent.call", () => {});
      await hub.bus.flush();
      await expect(program.do("call", "test/silent", "{}", "call", "50")).rejects.toMatchObject({ code: "timeout" });
    });
  });

  describe.runIf(isComplete)("parameters", () => {
    let base = "";
    const ask = async (endpoint: string, request: object) => {
      const { data, headers } = await hub.bus.request(`${base}.${endpoint}`, JSON.stringify(request), { timeoutMs: 30_000 });
      const problem = headers?.get("Nats-Service-Error") ?? "";
      return problem === "" ? JSON.parse(text(data)) : `${headers?.get("Nats-Service-Error-Code")} ${problem}`;
    };

    it("are a service of the client's own instance", async () => {
      await program.do("parameters", JSON.stringify(SPECS));
      const [info] = await all(await new Svcm(hub.bus.connection).client(FIRST).info("arm_driver_parameters"));
      expect(JSON.parse(info?.metadata?.interface ?? "").name).toBe("mgr.parameters.v1");
      expect(info?.metadata?.name).toBe("arm/driver/parameters");
      base = `svc.arm.driver.parameters.${info?.id}`;
      expect(info?.endpoints?.map(({ subject }) => subject)).toEqual(
        ["list", "set_override", "request_topic"].map((each) => `${base}.${each}`),
      );
    });

    it("are listed with their values as text", async () => {
      const rest = { unit: "", minimum: null, maximum: null, description: "", override_enabled: false };
      const texts = (value: string) => ({ input: value, output: value, override_value: value });
      expect(await ask("list", {})).toEqual({
        parameters: [
          { name: "arm/gain", type: "float", ...rest, unit: "1/s", minimum: 0, maximum: 10, description: "P gain", ...texts("0.5") },
          { name: "steps", type: "int", ...rest, minimum: 1, ...texts("3") },
          { name: "enabled", type: "bool", ...rest, ...texts("true") },
          { name: "mode", type: "string", ...rest, ...texts("größe") },
        ],
      });
    });

    it("are overridden within their range, and keep the value while it is disabled", async () => {
      const override = (parameter: string, enabled: boolean, value?: string) => ask("set_override", { parameter, enabled, value });
      expect(await override("arm/gain", true, "2")).toEqual({ parameter: "arm/gain", enabled: true, value: "2" });
      expect(await program.do("value", "arm/gain")).toBe(2);
      await program.do("input", "arm/gain", "0.75");
      expect(await program.do("value", "arm/gain")).toBe(2);
      expect((await ask("list", {})).parameters[0]).toMatchObject({
        input: "0.75",
        output: "2",
        override_value: "2",
        override_enabled: true,
      });
      expect(await override("arm/gain", false, "")).toEqual({ parameter: "arm/gain", enabled: false, value: "2" });
      expect(await program.do("value", "arm/gain")).toBe(0.75);
      for (const value of ["-0.1", "10.5", "fast", ""]) expect(await override("arm/gain", true, value)).toMatch(/^400 .*'arm\/gain'/);
      expect(await override("arm/gain", true, "11")).toMatch(/0 (to|bis) 10 1\/s/);
      expect(await override("missing", true, "1")).toMatch(/^400 .*'missing'/);
      expect(await ask("set_override", { parameter: "steps", value: "1" })).toMatch(/^400 .*enabled/);
      expect(await program.do("value", "arm/gain")).toBe(0.75);
    });

    it("take the texts of the specification and no others", async () => {
      await program.do(
        "parameters",
        JSON.stringify({
          t_float: { type: "float", value: 0 },
          t_int: { type: "int", value: 0 },
          t_bool: { type: "bool", value: false },
          t_string: { type: "string", value: "-" },
        }),
      );
      for (const { type, text, value } of vectors.parameter_text.accepted) {
        expect(await ask("set_override", { parameter: `t_${type}`, enabled: true, value: text })).toMatchObject({ enabled: true });
        expect(await program.do("value", `t_${type}`)).toBe(value);
      }
      for (const { type, text } of vectors.parameter_text.refused)
        expect(await ask("set_override", { parameter: `t_${type}`, enabled: true, value: text }), text).toMatch(/^400 /);
    });

    it("are published from the first request on", async () => {
      const { topic } = await ask("request_topic", { parameter: "steps" });
      expect(topic).toBe("steps");
      const messages = await hub.collect("topic.steps");
      const values = () => messages.map(({ data }) => JSON.parse(text(data)));
      await expect.poll(values).toContainEqual({ input: 3, output: 3 });
      await ask("set_override", { parameter: "steps", enabled: true, value: "9" });
      await expect.poll(values).toContainEqual({ input: 3, output: 9 });
      expect(hub.topic("steps")).toMatchObject({ encoding: "json", keep_last: true });
      expect(await ask("request_topic", { parameter: "steps" })).toEqual({ topic: "steps" });
      await hub.take("enabled");
      expect(await ask("request_topic", { parameter: "enabled" })).toEqual({ topic: "arm/driver/parameters/enabled" });
      expect(await ask("request_topic", { parameter: "missing" })).toMatch(/^400 .*'missing'/);
    });
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
