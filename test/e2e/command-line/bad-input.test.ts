import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT_FRAMES } from "../../contract/client-frames.ts";
import { CLOSE_CODES, MAX_FRAME_BYTES } from "../../contract/closed-values.ts";
import { exampleOfFields, wrongValuesOf } from "../../contract/examples.ts";
import type { FieldType } from "../../contract/field-types.ts";
import { REFUSALS } from "../../contract/http-routes.ts";
import { refusalOf } from "../../contract/refusals.ts";
import type { Client, Frame } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

describe("on a WebSocket", () => {
  let instance: Instance;
  let client: Client;

  beforeAll(async () => {
    instance = await Instance.up({ processes: { "tools/echo": { command: ECHO, autostart: true }, idle: { command: ECHO } } });
    client = await instance.connect();
    await eventually("it runs", async () => (await client.process("tools/echo")).state === "started");
  });
  afterAll(() => instance?.[Symbol.asyncDispose]());

  /** What came in answer to what `send` sends: its refusal, and whatever else comes before another answer. */
  async function answersTo(send: () => void): Promise<Frame[]> {
    const before = await client.snapshot();
    await settle();
    const from = client.here;
    send();
    await client.until("a refusal", ({ type, ok }) => type === "error" || ok === false, from);
    const after = await client.snapshot();
    // A refusal may be logged as well, which is an event and no answer.
    const frames = client.frames.slice(from, client.frames.indexOf(after)).filter(({ type }) => type !== "log_batch");
    expect(withoutId(after), "nothing changed").toEqual(withoutId(before));
    await settle();
    return frames;
  }
  /** What follows a snapshot in its turn has come. */
  const settle = () => client.ask({ type: "request_logs", limit: 1 });

  test.each([
    ["no JSON", "{", "bad_json"],
    ["nothing", "", "bad_json"],
    ["NaN", "NaN", "bad_json"],
    ["a number", "7", "bad_frame"],
    ["null", "null", "bad_frame"],
    ["a string", '"get_snapshot"', "bad_frame"],
    ["an array", '[{"type":"get_snapshot"}]', "bad_frame"],
    ["an object without type", "{}", "bad_frame"],
    ["a type that is no string", '{"type":7}', "bad_frame"],
    ["an unknown type", '{"type":"make_tea"}', "unknown_action"],
    ["a type that is a property of every object", '{"type":"constructor"}', "unknown_action"],
    ["a type that is a prototype", '{"type":"__proto__"}', "unknown_action"],
    ["a frame of the manager", '{"type":"snapshot"}', "unknown_action"],
    ["depth", "[".repeat(100_000), "bad_json"],
    ["depth that closes", `{"type":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "bad_frame"],
  ])("%s is answered by one error, and nothing changes", async (_what, text, code) => {
    const frames = await answersTo(() => client.ws.send(text));
    expect(frames).toMatchObject([{ type: "error", code }]);
    expect(frames[0]?.message).toMatch(/\S+ \S+/);
  });

  test("an unknown type is named", async () => {
    expect(await client.ask({ type: "make_tea" })).toMatchObject({ message: "unknown action 'make_tea'", request_type: "make_tea" });
  });

  test("a binary frame is answered by bad_frame, and the connection stays", async () => {
    const frames = await answersTo(() => client.ws.send(Buffer.from('{"type":"get_snapshot"}')));
    expect(frames).toMatchObject([{ type: "error", code: "bad_frame" }]);
  });

  const existing = Object.entries(CLIENT_FRAMES);
  // Names of tokens have a form of their own.
  const ofTokens = ["create_access_token", "revoke_access_token"];
  test.each(existing)("%s: each wrong field is answered by one error that names it, and nothing changes", async (type, { fields }) => {
    const named = "name" in fields ? { name: ofTokens.includes(type) ? "wall" : "tools/echo" } : {};
    // Its text has a form of its own.
    const formed = "affinity" in fields ? { affinity: "0" } : "max_size" in fields ? { max_size: 65_536 } : {};
    const good = { type, ...exampleOfFields(fields), ...named, ...formed } as Record<string, unknown>;
    for (const [field, of] of Object.entries(fields)) {
      const { [field]: _left, ...without } = good;
      const wrong = [
        ...wrongValuesOf(of).map((value) => ({ ...good, [field]: value })),
        ...(isOptional(of) || of === "anything" ? [] : [without]),
      ];
      for (const frame of wrong) {
        const answer = await client.ask(frame);
        expect(answer, JSON.stringify(frame)).toMatchObject({ ...refusalOf(frame), code: "bad_field" });
        expect(answer.message).toContain(`'${field}`);
      }
    }
    expect(await answersTo(() => client.send({ ...good, request_id: "" }))).toMatchObject([{ ...refusalOf(good), code: "bad_field" }]);
  });

  // A topic that does not exist yet may be subscribed to, published, and searched for the reason why it does not arrive; a recording is made by its first start, a logger when it is configured, a preset when it is saved.
  // Samples may be kept of a topic that nobody publishes any more. The process whose load is no longer watched may have been removed; its history, its crash
  // reports and its output in an incident outlive it. What an agent asked for is recorded as it was.
  const later = [
    ...["subscribe_topic", "unsubscribe_topic", "publish_topic", "trace_topic", "start_recording", "configure_logger", "unsubscribe_load"],
    ...["request_history_events", "delete_crash_reports", "record_agent_call", "save_preset", "request_kept_samples"],
    "request_incident_output",
  ];
  const ofGroups = ["request_process_loads", "subscribe_load", "request_start_analysis", "request_ports"];
  test.each(existing.filter(([type, { fields }]) => "name" in fields && ![...later, ...ofTokens].includes(type)).map(([type]) => type))(
    "%s: an unknown name is answered by one not_found that names it",
    async (type) => {
      const special: Record<string, object> = {
        send_signal: { signal: "SIGHUP" },
        apply_topic_scheduling: { tasks: [{ host: "localhost", pid: 1, tid: 1 }] },
      };
      const good = { type, ...exampleOfFields(CLIENT_FRAMES[type]?.fields ?? {}), ...special[type] };
      const other = type.endsWith("_group") ? ["idle"] : ofGroups.includes(type) ? [] : ["tools"];
      for (const name of ["no such", "tools/ech", "tools/echo/", "__proto__", "constructor", ...other]) {
        const frames = await answersTo(() => client.send({ ...good, name, request_id: 5 }));
        expect(frames, name).toMatchObject([{ ...refusalOf({ ...good, name }), code: "not_found", request_id: 5 }]);
        expect(frames[0]?.message).toContain(`'${name}'`);
      }
    },
  );

  test("numbers out of range are bad fields, counts above their maximum are the maximum", async () => {
    for (const lines of [0, -1, 1.5, 1e300]) {
      expect(await client.ask({ type: "get_process_output", name: "idle", lines }), String(lines)).toMatchObject(
        lines === 1e300 ? { type: "process_output_snapshot" } : { code: "bad_field" },
      );
    }
    for (const [rows, cols] of [
      [0, 80],
      [24, 0],
      [65_536, 80],
      [24, -1],
    ]) {
      expect(await client.ask({ type: "send_winch", name: "idle", rows, cols })).toMatchObject({ code: "bad_field" });
    }
    const text = "x".repeat(65_537);
    expect(await client.ask({ type: "send_stdin", name: "tools/echo", text })).toMatchObject({ code: "bad_field" });
    expect(await client.ask({ type: "send_signal", name: "tools/echo", signal: "SIGNOTHING" })).toMatchObject({ code: "bad_field" });
    expect(await client.ask({ type: "send_stdin", name: "idle", text: "x" })).toMatchObject({ code: "not_running" });
  });

  test("a frame of just 1 MiB is read; one over it gets an error, then the connection is closed with 1009", async () => {
    const frame = (bytes: number) => {
      const head = '{"type":"get_snapshot","request_id":1,"x":"';
      return `${head}${"x".repeat(bytes - head.length - 2)}"}`;
    };
    const other = await instance.connect();
    other.ws.send(frame(MAX_FRAME_BYTES));
    await other.until("a snapshot", ({ type }) => type === "snapshot");
    other.ws.send(frame(MAX_FRAME_BYTES + 1));
    expect(await other.closed).toMatchObject({ code: CLOSE_CODES["frame too large"] });
    expect(other.frames.at(-1)).toMatchObject({ type: "error", code: "too_large" });
  });

  test("bad UTF-8 closes the connection with 1007", async () => {
    const other = await instance.connect();
    other.ws.send(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), { binary: false });
    expect(await other.closed).toMatchObject({ code: CLOSE_CODES["bad UTF-8"] });
  });

  test.each([
    ["?single_process=", 400],
    ["?single_group=", 400],
    ["?single_process=idle&single_group=tools", 400],
    ["?single_process=idle&log_only=1", 400],
    ["?single_process=no%20such", 404],
    ["?single_process=tools", 404],
    ["?single_group=idle", 404],
    ["?single_group=__proto__", 404],
  ])("/ws%s is refused before the upgrade with %d", async (query, status) => {
    await expect(instance.connect(query)).rejects.toThrow(`answered with ${status}`);
  });
});

const isOptional = (type: FieldType) => typeof type === "object" && type.kind === "optional";
const withoutId = ({ request_id: _id, ...rest }: Frame) => rest;

describe("in a configuration", () => {
  test("every problem is listed with its place, and the exit code is 2", async () => {
    await using instance = new Instance({ processes: {} });
    const lines = [
      "instance:",
      "  name: e2e",
      '  manager: "localhost:99999"',
      "  colour: red",
      "processes:",
      "  a: { command: 7, autostart: perhaps }",
      "  b: { command: 'true', depends_on: [c, nobody] }",
      "  c: { command: 'true', depends_on: [b] }",
      "  d: { comand: 'true' }",
      "  d/e: { command: 'true' }",
    ];
    writeFileSync(instance.config, `${lines.join("\n")}\n`);
    for (const args of [["check"], ["up"], ["up", "--detach"]]) {
      const { code, stdout, stderr } = await instance.run(args[0] ?? "", "-c", instance.config, ...args.slice(1));
      const said = `${stdout}${stderr}`;
      expect(code, said).toBe(2);
      for (const [place, what] of [
        ["3:", "99999"],
        ["4:", "colour"],
        ["6:", "command"],
        ["6:", "autostart"],
        ["7:", "nobody"],
        ["9:", "comand"],
      ] as const) {
        expect(
          said.split("\n").some((line) => line.includes(`mgr.yaml:${place}`) && line.includes(what)),
          `${place} ${what} in:\n${said}`,
        ).toBe(true);
      }
      expect(said).not.toContain("    at ");
    }
    expect(instance.living()).toEqual([]);
  });

  test("a file that is missing, no YAML, or cannot be read is a sentence and exit code 2", async () => {
    await using instance = new Instance({ processes: {} });
    writeFileSync(instance.config, "instance: {name: [");
    const broken = await instance.run("up", "-c", instance.config);
    expect(broken).toMatchObject({ code: 2 });
    expect(broken.stderr).toContain("mgr.yaml");
    const missing = await instance.run("up", "-c", "no-such.yaml");
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toContain("no-such.yaml");
    for (const { stderr } of [broken, missing]) expect(stderr).not.toContain("    at ");
  });

  test("a cycle of dependencies is refused with the cycle", async () => {
    const needs = (name: string) => ({ command: "true", depends_on: [name] });
    await using instance = new Instance({ processes: { a: needs("b"), b: needs("c"), c: needs("a") } });
    const { code, stderr, stdout } = await instance.run("check", "-c", instance.config);
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`).toMatch(/a\b.*\bb\b.*\bc\b/);
  });
});

describe("around the program", () => {
  test("a port that is in use is reported with the port and the owner's pid", async () => {
    const server = createServer().listen(0, "localhost");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      await using instance = new Instance({
        instance: { manager: `localhost:${port}` },
        processes: { a: { command: ECHO, autostart: true } },
      });
      const { code, stderr } = await instance.run("up", "-c", instance.config);
      expect(code).toBe(1);
      expect(stderr).toContain(String(port));
      expect(stderr).toContain(`pid ${process.pid}`);
      expect(stderr).not.toContain("    at ");
      expect(instance.living()).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("without an auth file the manager runs, and HTTP refuses with an explanation and how to create one, until there is one", async () => {
    await using instance = new Instance({
      instance: { webui_auth_file: "later.keys" },
      processes: { a: { command: ECHO, autostart: true } },
    });
    await instance.mgr("up", "--detach");
    for (const path of ["/", "/mgr/log", "/ws"]) {
      const response = await instance.fetch(path);
      expect(response.status).toBe(REFUSALS["auth file not configured, missing, not regular or readable by others"]);
      expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
      const text = await response.text();
      expect(text).toContain("later.keys");
      expect(text).toMatch(/USER PASSWORD/);
    }
    await expect(instance.connect()).rejects.toThrow("403");

    const later = `${instance.dir}/later.keys`;
    writeFileSync(later, `${instance.user} ${instance.password}\n`, { mode: 0o644 });
    chmodSync(later, 0o644);
    const readable = await instance.fetch("/");
    expect(readable.status).toBe(403);
    expect(await readable.text()).toMatch(/chmod 600/);
    chmodSync(later, 0o600);
    expect((await instance.fetch("/mgr/log")).status).toBe(200);
    const client = await instance.connect();
    await eventually("it runs", async () => (await client.process("a")).state === "started");
  });

  test("without any auth file configured the refusal names the setting and the variable", async () => {
    await using instance = await Instance.up({ instance: { webui_auth_file: undefined }, processes: {} });
    const response = await instance.fetch("/");
    expect(response.status).toBe(403);
    const text = await response.text();
    expect(text).toContain("webui_auth_file");
    expect(text).toContain("MGR_WEBUI_AUTH_FILE");
  });

  test("wrong usage of the command line is exit code 2, an unknown name 3, a missing manager 1", async () => {
    await using instance = await Instance.up({ processes: { a: { command: ECHO } } });
    expect(await instance.run("make-tea")).toMatchObject({ code: 2 });
    expect(await instance.run("logs", "-n", "0", "a", "-c", instance.config)).toMatchObject({ code: 2 });
    expect(await instance.run("call", "{", "-c", instance.config)).toMatchObject({ code: 2 });
    expect(await instance.run("start", "no such", "-c", instance.config)).toMatchObject({ code: 3 });
    expect(await instance.run("logs", "no such", "-c", instance.config)).toMatchObject({ code: 3 });
    const stderr = "mgr: there is no host 'none'; 'mgr hosts' lists all\n";
    expect(await instance.run("forward", "0:none:22", "-c", instance.config)).toMatchObject({ code: 3, stderr });
    instance.foreground.child.kill("SIGTERM");
    await instance.foreground.ended;
    const down = await instance.run("ps", "-c", instance.config);
    expect(down).toMatchObject({ code: 1 });
    expect(down.stderr).toContain("mgr up");
  });
});
