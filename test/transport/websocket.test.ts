import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MgrError } from "../../src/base/errors.ts";
import { featureFrames } from "../../src/features/wire.ts";
import { frameConforms } from "../contract/check.ts";
import { type Client, startRig } from "./rig.ts";

let rig: Awaited<ReturnType<typeof startRig>>;

beforeEach(async () => {
  rig = await startRig(["sim/world", "sim/arm/left", "db"]);
});

afterEach(() => rig[Symbol.asyncDispose]());

/** Until the server has seen its last connection end; the test's time-out is the limit. */
async function untilGone(): Promise<void> {
  while (rig.transport.connections().length > 0) await new Promise((resolve) => setImmediate(resolve));
}

describe("get_snapshot", () => {
  it("has every field of the tables, and echoes request_id", async () => {
    const client = await rig.connect();
    const snapshot = await client.ask({ type: "get_snapshot" });
    expect(snapshot).toMatchObject({
      type: "snapshot",
      webui_asset_hash: "hash",
      manager: { name: "test", host: "testhost", save_problem: null },
      hosts: ["testhost"],
      clients: [],
      vnc_sessions: [],
      log_min_level: "info",
      web_x_display: { known: false, running: false, ready: false, username: "ada", display_name: "", process: "" },
    });
    expect((snapshot.processes as { name: string }[]).map(({ name }) => name)).toEqual(["sim/world", "sim/arm/left", "db"]);
    expect(frameConforms(snapshot)).toEqual([]);
    expect(snapshot.request_id).toBe("request 1");
  });

  it("never misses or repeats a change: events before it stand before it, later ones after", async () => {
    const client = await rig.connect();
    client.send({ type: "subscribe_process_output", patterns: ["*"] });
    await client.ask({ type: "get_snapshot" });
    for (let round = 1; round <= 50; round++) {
      client.send({ type: "get_snapshot" });
      rig.control.update("db", { restarts: round });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.ask({ type: "get_snapshot" });
    let restarts = 0;
    for (const frame of client.frames) {
      const process = (frame.process ?? (frame.processes as { name: string }[])?.find(({ name }) => name === "db")) as
        | { restarts: number }
        | undefined;
      if (!process) continue;
      expect(process.restarts - restarts).toBe(frame.type === "snapshot" ? 0 : 1);
      restarts = process.restarts;
    }
    expect(restarts).toBe(50);
  });
});

it("thousands of frames that come in one packet do not hold up another connection", async () => {
  const [hasty, other] = [await rig.connect(), await rig.connect()];
  const FRAMES = 20_000;
  const before = rig.transport.frames.received;
  for (let index = 0; index < FRAMES; index++) hasty.send({ type: "stop_process", name: "db" });
  const answered = other.ask({ type: "get_snapshot" });
  await answered;
  const meanwhile = rig.transport.frames.received - before;
  expect(meanwhile, "frames that were handled before the other's one").toBeLessThan(FRAMES / 10);
  await hasty.ask({ type: "get_snapshot" });
  expect(rig.control.calls).toHaveLength(FRAMES);
});

describe("commands", () => {
  it("are answered by ack when they carry a request_id, and by nothing when they do not", async () => {
    const client = await rig.connect();
    client.send({ type: "start_process", name: "db" });
    expect(await client.ask({ type: "stop_group", name: "sim" })).toEqual({
      type: "ack",
      request_type: "stop_group",
      request_id: "request 1",
    });
    expect(client.frames).toHaveLength(1);
    expect(rig.control.calls).toEqual([
      ["startProcess", "db"],
      ["stopGroup", "sim"],
    ]);
  });

  it("reach Control with all their fields", async () => {
    const client = await rig.connect();
    for (const frame of [
      { type: "restart_process", name: "db" },
      { type: "send_signal", name: "db", signal: "SIGHUP" },
      { type: "send_stdin", name: "db", text: "hello\n" },
      { type: "send_winch", name: "db", rows: 40, cols: 100 },
      { type: "start_group", name: "sim" },
      { type: "restart_group", name: "sim/arm" },
    ]) {
      expect((await client.ask(frame)).type).toBe("ack");
    }
    expect(rig.control.calls).toEqual([
      ["restartProcess", "db"],
      ["sendSignal", "db", "SIGHUP"],
      ["sendStdin", "db", "hello\n"],
      ["sendWinch", "db", 40, 100],
      ["startGroup", "sim"],
      ["restartGroup", "sim/arm"],
    ]);
  });

  it("that are replies of a terminal are taken from the connection that typed or resized last, and dropped from all others", async () => {
    const [one, other] = [await rig.connect(), await rig.connect()];
    const reply = (client: typeof one, name = "db") => client.ask({ type: "send_stdin", name, text: "\u001b[1;1R", reply: true });
    const taken = async (act: () => Promise<unknown>) => {
      rig.control.calls.length = 0;
      await act();
      return rig.control.calls.filter(([command]) => command === "sendStdin").length;
    };
    expect(await taken(() => reply(one)), "nobody has typed").toBe(0);
    await one.ask({ type: "send_winch", name: "db", rows: 40, cols: 100 });
    expect(await taken(() => reply(one))).toBe(1);
    expect(await taken(() => reply(one, "sim/arm/left"))).toBe(0);
    await other.ask({ type: "send_stdin", name: "db", text: "x" });
    expect(await taken(() => reply(one))).toBe(0);
    expect(await taken(() => reply(other))).toBe(1);
    expect(await reply(one)).toMatchObject({ type: "ack" });
    other.ws.close();
    await other.closed;
    await one.ask({ type: "send_stdin", name: "db", text: "x" });
    expect(await taken(() => reply(one))).toBe(1);
  });

  it("that follow a terminal's size receive each change of it, and which connection holds it", async () => {
    const [desktop, phone] = [await rig.connect(), await rig.connect()];
    const follow = (client: typeof phone, more = {}) => client.ask({ type: "follow_terminal_size", name: "sim/world", ...more });
    const size = (rows: number, cols: number, holder: string) => ({ type: "terminal_size", name: "sim/world", rows, cols, holder });
    expect(await follow(desktop)).toMatchObject(size(24, 80, "none"));
    await desktop.ask({ type: "send_winch", name: "sim/world", rows: 47, cols: 165 });
    expect(await follow(phone)).toMatchObject(size(47, 165, "other"));
    // Typing takes the size over without changing it.
    await phone.ask({ type: "send_stdin", name: "sim/world", text: "x" });
    await phone.ask({ type: "send_stdin", name: "sim/world", text: "y" });
    await phone.ask({ type: "send_winch", name: "sim/world", rows: 30, cols: 45 });
    // A script that types shows no terminal, and holds no size.
    await (await rig.connect()).ask({ type: "send_stdin", name: "sim/world", text: "z" });
    // The phone no longer shows the terminal: the size stays, and is free.
    expect(await follow(phone, { follow: false })).toMatchObject(size(30, 45, "none"));
    await desktop.ask({ type: "send_winch", name: "sim/world", rows: 47, cols: 165 });
    const notified = (client: typeof phone) =>
      client.frames.filter(({ type, request_id }) => type === "terminal_size" && request_id === undefined);
    expect(notified(desktop)).toEqual([
      size(47, 165, "this"),
      size(47, 165, "other"),
      size(30, 45, "other"),
      size(30, 45, "none"),
      size(47, 165, "this"),
    ]);
    expect(notified(phone)).toEqual([size(47, 165, "this"), size(30, 45, "this")]);
    // With its connection a holder gives the size up.
    await follow(phone);
    desktop.ws.close();
    expect(await phone.nextOf("terminal_size")).toEqual(size(47, 165, "none"));
    expect(await phone.ask({ type: "follow_terminal_size", name: "nobody" })).toMatchObject({ type: "error", code: "not_found" });
  });

  it("that are refused are answered by one error with code, request_type and request_id", async () => {
    const client = await rig.connect();
    expect(await client.ask({ type: "start_process", name: "nobody" })).toEqual({
      type: "error",
      code: "not_found",
      message: "There is no process 'nobody'.",
      request_type: "start_process",
      request_id: "request 1",
    });
    rig.control.failNext = new MgrError("not_running", "The process 'db' does not run.");
    expect(await client.ask({ type: "send_stdin", name: "db", text: "x" })).toMatchObject({ type: "error", code: "not_running" });
    rig.control.failNext = new TypeError("a secret detail");
    const internal = await client.ask({ type: "start_process", name: "db" });
    expect(internal).toMatchObject({ type: "error", code: "internal" });
    expect(internal.message).not.toContain("secret");
    expect(rig.control.log.entries({ level: "error" })[0]?.msg).toContain("a secret detail");
  });

  it("get_process_output answers with the backlog, 1000 lines unless asked otherwise and 100000 at most", async () => {
    const client = await rig.connect();
    rig.control.backlog = { pid: 7, output: "text", truncated: false, offset: 4, stream_id: "s1" };
    expect(await client.ask({ type: "get_process_output", name: "db" })).toEqual({
      type: "process_output_snapshot",
      name: "db",
      ...rig.control.backlog,
      request_id: "request 1",
    });
    await client.ask({ type: "get_process_output", name: "db", lines: 5_000_000 });
    await client.ask({ type: "get_process_output", name: "db", seconds: 1.5 });
    expect(rig.control.calls).toEqual([
      ["readBacklog", "db", { lines: 1_000, times: false }],
      ["readBacklog", "db", { lines: 100_000, times: false }],
      ["readBacklog", "db", { lines: 1_000, times: false, seconds: 1.5 }],
    ]);
  });
});

describe("views receive exactly their frames", () => {
  it("events, output and logs", async () => {
    const full = await rig.connect();
    const process = await rig.connect("?single_process=sim/world");
    const group = await rig.connect("?single_group=sim");
    const log = await rig.connect("?log_only=1");
    await full.ask({ type: "subscribe_process_output", patterns: ["*"] });
    for (const name of ["sim/world", "sim/arm/left", "db"]) {
      rig.output(name, 0, `${name} speaks`);
      rig.control.update(name, { state: "started" });
    }
    rig.control.log.append({ level: "info", source: "manager", msg: "noted" });
    rig.control.log.append({ level: "debug", source: "manager", msg: "not heard" });
    await Promise.all([full, process, group, log].map((client) => client.ask({ type: "get_snapshot" })));
    const said = (client: Client) =>
      client.frames
        .filter((frame) => !["ack", "snapshot", ...Object.keys(featureFrames)].includes(frame.type))
        .map((frame) => `${frame.type} ${frame.name ?? (frame.process as { name: string })?.name ?? (frame.entries as unknown[]).length}`);
    const both = (name: string) => [`process_output ${name}`, `process_upsert ${name}`];
    expect(said(full)).toEqual([...both("sim/world"), ...both("sim/arm/left"), ...both("db"), "log_batch 1"]);
    expect(said(process)).toEqual(both("sim/world"));
    expect(said(group)).toEqual([...both("sim/world"), ...both("sim/arm/left")]);
    expect(said(log)).toEqual(["log_batch 1"]);
  });

  it("snapshots", async () => {
    const names = (frame: Record<string, unknown>) => (frame.processes as { name: string }[]).map(({ name }) => name);
    const process = await (await rig.connect("?single_process=sim/world")).ask({ type: "get_snapshot" });
    expect(names(process)).toEqual(["sim/world"]);
    expect(process.process_tree).toMatchObject([{ type: "process", name: "sim/world" }]);
    const group = await (await rig.connect("?single_group=sim/arm")).ask({ type: "get_snapshot" });
    expect(names(group)).toEqual(["sim/arm/left"]);
    const log = await (await rig.connect("?log_only=1")).ask({ type: "get_snapshot" });
    expect([names(log), log.process_tree, log.host_list]).toEqual([[], [], []]);
  });

  it("refuse what lies outside with out_of_scope, and nothing happens", async () => {
    const process = await rig.connect("?single_process=db");
    const log = await rig.connect("?log_only=1");
    const code = async (client: Client, frame: object) => (await client.ask(frame)).code ?? "accepted";
    expect(await code(process, { type: "stop_process", name: "sim/world" })).toBe("out_of_scope");
    expect(await code(process, { type: "request_logs" })).toBe("out_of_scope");
    expect(await code(process, { type: "request_plan" })).toBe("out_of_scope");
    expect(await code(process, { type: "subscribe_process_output", patterns: ["*"] })).toBe("accepted");
    expect(await code(process, { type: "start_process", name: "db" })).toBe("accepted");
    expect(await code(log, { type: "start_process", name: "db" })).toBe("out_of_scope");
    expect(await code(log, { type: "subscribe_process_output", patterns: ["*"] })).toBe("out_of_scope");
    expect(await code(log, { type: "set_log_min_level", level: "error" })).toBe("accepted");
    expect(rig.control.calls).toEqual([["startProcess", "db"]]);
  });
});

describe("order", () => {
  it("output stands before the upsert of the state that came after it, also while it is being joined", async () => {
    const client = await rig.connect("?single_process=db");
    await client.ask({ type: "get_snapshot" });
    let offset = 0;
    for (let run = 0; run < 100; run++) {
      for (const text of ["hello", " ", "world"]) {
        rig.output("db", offset, text);
        offset += text.length;
      }
      rig.control.update("db", { state: "stopped", restarts: run });
    }
    await client.ask({ type: "get_snapshot" });
    let heard = 0;
    let upserts = 0;
    for (const frame of client.frames) {
      if (frame.type === "process_output") heard += String(frame.output).length;
      if (frame.type === "process_upsert") expect(heard).toBe(++upserts * "hello world".length);
    }
    expect(upserts).toBe(100);
  });

  it("get_snapshot brings out what is being joined before it", async () => {
    const client = await rig.connect();
    await client.ask({ type: "subscribe_process_output", patterns: ["db"] });
    rig.output("db", 0, "a");
    rig.output("db", 1, "b");
    rig.control.log.append({ level: "info", source: "manager", msg: "noted" });
    await client.ask({ type: "get_snapshot" });
    const before = client.frames.slice(
      0,
      client.frames.findIndex(({ type }) => type === "snapshot"),
    );
    expect(before.map((frame) => ("output" in frame ? frame.output : "")).join("")).toBe("ab");
    expect(before.map(({ type }) => type)).toContain("log_batch");
  });
});

describe("logs", () => {
  it("set_log_min_level changes what this connection receives, and its snapshot has the level", async () => {
    const client = await rig.connect();
    await client.ask({ type: "set_log_min_level", level: "debug" });
    rig.control.log.append({ level: "debug", source: "manager", msg: "heard" });
    expect((await client.nextOf("log_batch")).entries).toMatchObject([{ msg: "heard" }]);
    expect((await client.ask({ type: "get_snapshot" })).log_min_level).toBe("debug");
  });

  it("request_logs answers with retained entries and history: true", async () => {
    for (const level of ["debug", "warning", "error"] as const) rig.control.log.append({ level, source: "manager", msg: level });
    const client = await rig.connect("?log_only=1");
    const answer = await client.ask({ type: "request_logs", level: "warning", limit: 1 });
    expect(answer).toMatchObject({ type: "log_batch", history: true, entries: [{ msg: "error" }] });
  });
});

describe("bad frames", () => {
  it("are answered by one error each, change nothing, and the connection stays", async () => {
    const client = await rig.connect();
    const answers: [string | Buffer, string][] = [
      ["{", "bad_json"],
      ["[]", "bad_frame"],
      ["{}", "bad_frame"],
      ['{"type":7}', "bad_frame"],
      ['{"type":"fly"}', "unknown_action"],
      ['{"type":"__proto__"}', "unknown_action"],
      ['{"type":"start_process"}', "bad_field"],
      ['{"type":"start_process","name":7}', "bad_field"],
      ['{"type":"send_winch","name":"db","rows":0,"cols":1}', "bad_field"],
      [Buffer.from("{}"), "bad_frame"],
    ];
    for (const [data, code] of answers) {
      client.ws.send(data);
      expect(await client.nextOf("error")).toMatchObject({ code });
    }
    expect((await client.ask({ type: "get_snapshot" })).type).toBe("snapshot");
    expect(client.frames.filter((frame) => frame.type === "error")).toHaveLength(answers.length);
    expect(rig.control.calls).toEqual([]);
  });

  it.each([1024 * 1024 + 1, 10 * 1024 * 1024])("a frame of %i bytes gets error too_large, then close 1009", async (size) => {
    const client = await rig.connect();
    client.ws.send("x".repeat(size));
    expect(await client.closed).toMatchObject({ code: 1009 });
    expect(client.frames).toMatchObject([{ type: "error", code: "too_large" }]);
    await untilGone();
  });

  it("a frame of exactly 1 MiB is read", async () => {
    const client = await rig.connect();
    const frame = '{"type":"start_process","name":"db","request_id":1,"more":""}';
    client.ws.send(frame.replace('"more":""', `"more":"${"x".repeat(1024 * 1024 - frame.length)}"`));
    expect(await client.next()).toMatchObject({ type: "ack" });
  });

  it("bad UTF-8 is closed with 1007", async () => {
    const client = await rig.connect();
    client.ws.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect((await client.closed).code).toBe(1007);
  });
});

describe("readers", () => {
  it("a stalled reader does not grow the manager, delays no other, and learns what it missed", async () => {
    const slow = await rig.connect();
    const quick = await rig.connect();
    for (const client of [slow, quick]) await client.ask({ type: "subscribe_process_output", patterns: ["db"] });
    slow.ws.pause();
    const text = `${"x".repeat(16 * 1024 - 2)}\r\n`;
    let offset = 0;
    for (let round = 0; round < 1_500; round++) {
      rig.output("db", offset, text);
      offset += text.length;
      if (round % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    rig.control.update("db", { state: "stopped" });
    await quick.nextOf("process_upsert");
    const bytes = quick.frames.reduce((sum, frame) => sum + String(frame.output ?? "").length + Number(frame.skipped ?? 0), 0);
    expect(bytes).toBe(offset);
    slow.ws.resume();
    await slow.nextOf("process_upsert");
    const missed = slow.frames.reduce((sum, frame) => sum + Number(frame.skipped ?? 0), 0);
    expect(missed).toBeGreaterThan(1024 * 1024);
    const got = slow.frames.filter((frame) => frame.type === "process_output");
    expect(got.reduce((sum, frame) => sum + String(frame.output).length, 0) + missed).toBeLessThanOrEqual(offset);
  });

  it("beyond 8 MiB of events the connection is closed with 1008", async () => {
    const slow = await rig.connect("?log_only=1");
    slow.ws.pause();
    const msg = "x".repeat(64 * 1024);
    for (let round = 0; round < 400 && rig.transport.connections().length > 0; round++) {
      rig.control.log.append({ level: "info", source: "manager", msg });
      await new Promise((resolve) => setImmediate(resolve));
    }
    slow.ws.resume();
    expect(await slow.closed).toEqual({ code: 1008, reason: "too slow: more than 8 MiB of events are queued" });
  });
});

it("a client that takes nothing for the whole time it has is closed with 1008; the others go on", async () => {
  await using rig = await startRig(["db"], undefined, { stallMs: 250 });
  const deaf = await rig.connect();
  const quick = await rig.connect("?log_only=1");
  await deaf.ask({ type: "subscribe_process_output", patterns: ["db"] });
  rig.output("db", 0, "");
  deaf.ws.pause();
  const text = `${"x".repeat(64 * 1024 - 2)}\r\n`;
  const hasLetGo = () => rig.windows.at(-1)?.length === 0;
  for (let offset = 0; !hasLetGo(); offset += text.length) {
    rig.output("db", offset, text);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(await quick.ask({ type: "get_snapshot" })).toMatchObject({ type: "snapshot" });
  expect(deaf.ws.readyState).toBe(deaf.ws.OPEN);
  deaf.ws.resume();
  expect(await deaf.closed).toEqual({ code: 1008, reason: "too slow" });
});

it("a client that vanishes leaves nothing behind", async () => {
  const client = await rig.connect();
  await client.ask({ type: "subscribe_process_output", patterns: ["*"] });
  expect(rig.windows).toHaveLength(3);
  client.ws.terminate();
  await client.closed;
  await untilGone();
  expect(rig.windows.slice(3)).toMatchObject([{ length: 0 }, { length: 0 }, { length: 0 }]);
});

it("close ends every connection with code and reason", async () => {
  const clients = [await rig.connect(), await rig.connect("?log_only=1")];
  rig.transport.close(1001, "manager is shutting down");
  for (const client of clients) expect(await client.closed).toEqual({ code: 1001, reason: "manager is shutting down" });
});

it("a refused view is refused before the upgrade", async () => {
  const { ws } = await rig.connect();
  const { port } = new URL(ws.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write("GET /ws?single_process=none HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  const [data] = await once(socket, "data");
  expect(String(data)).toContain("404");
  socket.destroy();
});
