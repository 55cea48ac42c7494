import { Svcm } from "@nats-io/services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClientRig, textOf } from "./client-rig.ts";
import type { Hub } from "./hub.ts";
import { COMPLETE } from "./languages.ts";
import type { Program } from "./program.ts";
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

describe.each(COMPLETE)("the client library in $name", (language) => {
  let rig: ClientRig;
  let hub: Hub;
  let program: Program;

  beforeAll(async () => {
    rig = await ClientRig.start(language);
    ({ hub, program } = rig);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  describe("late samples", () => {
    const INBOX = "_INBOX.test.late";
    const live = (seq: number) => hub.send("topic.cut", "{}", { "Mgr-Seq": `${seq}`, "Mgr-Time": `${seq}0` });
    /** Sends samples from an index of the log on, as one window. */
    const late = (index: number, ...seqs: number[]) => {
      for (const [at, seq] of seqs.entries()) {
        const marks = { "Mgr-Late": `${seq}5`, "Mgr-Late-Index": `log-1 ${index + at} 0`, "Mgr-Seq": `${seq}`, "Mgr-Time": `${seq}0` };
        hub.send("late.cut", "{}", marks, at === seqs.length - 1 ? INBOX : undefined);
      }
    };
    const received = () => program.received("cut").map((message) => (message.late === null ? message.seq : `late ${message.seq}`));

    it("fill the gaps of the live ones, each once and in order; what still misses is counted", async () => {
      const answers = await hub.collect(INBOX);
      const { missed } = (await program.do("counters")) as { missed: number };
      const missing = async () => ((await program.do("counters")) as { missed: number }).missed - missed;
      await program.do("subscribe", "cut", "true");
      for (const seq of [1, 2, 3, 9, 10]) live(seq);
      await expect.poll(received).toEqual([1, 2, 3, 9, 10]);
      expect(await missing()).toBe(5);
      // The third one had arrived before the link was cut; the window comes again; one sample of the last window is lost.
      late(0, 3, 4, 5, 6);
      late(2, 5, 6, 7, 8);
      late(7, 13);
      await expect.poll(() => answers.map(({ data }) => textOf(data))).toEqual(["4", "6", "6"]);
      const filled = [1, 2, 3, 9, 10, ...[4, 5, 6, 7, 8].map((seq) => `late ${seq}`)];
      await expect.poll(received).toEqual(filled);
      expect(await missing()).toBe(0);
      expect(program.received("cut").at(-1)).toMatchObject({ seq: 8, late: "85" });
      // It was published after the newest live one, which the next live one shows.
      late(6, 11);
      await expect.poll(received).toEqual([...filled, "late 11"]);
      for (const seq of [12, 15]) live(seq);
      await expect.poll(received).toEqual([...filled, "late 11", 12, 15]);
      expect(await missing()).toBe(2);
    });

    it("do not come to a subscriber that does not ask for them", async () => {
      await program.do("subscribe", "uncut");
      hub.send("late.uncut", "{}", { "Mgr-Late": "5", "Mgr-Late-Index": "log-1 0 0" });
      hub.send("topic.uncut", "{}", { "Mgr-Seq": "1" });
      await expect.poll(() => program.received("uncut").map(({ late: at }) => at)).toEqual([null]);
    });
  });

  describe("services", () => {
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
        return [headers?.get("Nats-Service-Error-Code") ?? "", headers?.get("Nats-Service-Error") ?? "", textOf(data)];
      };
      expect(JSON.parse((await ask('{"a": "größe"}', "other"))[2] ?? "")).toEqual({ echo: { a: "größe" }, endpoint: "other" });
      expect((await ask(""))[0]).toBe("");
      expect(await ask("{")).toEqual(["400", "the request is not JSON", ""]);
      expect(await ask('{"fail": {"code": 418, "text": "größer als\\r\\nerlaubt"}}')).toEqual(["418", "größer als erlaubt", ""]);
      expect(await ask('{"crash": "boom"}')).toEqual(["500", "boom", ""]);
    });

    it("calls services, and distinguishes their errors from missing and silent ones", async () => {
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

  describe("parameters", () => {
    let base = "";
    const ask = async (endpoint: string, request: object) => {
      const { data, headers } = await hub.bus.request(`${base}.${endpoint}`, JSON.stringify(request), { timeoutMs: 30_000 });
      const problem = headers?.get("Nats-Service-Error") ?? "";
      return problem === "" ? JSON.parse(textOf(data)) : `${headers?.get("Nats-Service-Error-Code")} ${problem}`;
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
      const values = () => messages.map(({ data }) => JSON.parse(textOf(data)));
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
