// biome-ignore-all lint/suspicious/noThenProperty: it is a key of the configuration.
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { DaemonLogger } from "../../../src/features/loggers/wire.ts";
import type { NetworkStats } from "../../../src/features/network-statistics/wire.ts";
import type { OutputHit } from "../../../src/features/output-search/wire.ts";
import { STATES } from "../../contract/closed-values.ts";
import { CHALLENGE, LOG_LINE, REFUSALS, ROUTES, SESSION_COOKIE } from "../../contract/http-routes.ts";
import { MANAGER_FRAMES } from "../../contract/manager-frames.ts";
import { RESOURCES } from "../../contract/resources.ts";
import { FEATURE_CONTRACTS } from "../../features/contract.ts";
import { LIVE_FRAMES } from "../../features/live-frames.ts";
import { BusProgram } from "../support/bus-program.ts";
import type { Client, Frame } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { blockIntentFile, unblockIntentFile } from "../support/intent-file.ts";
import { askLive } from "../support/live-frames.ts";
import { ECHO, EXIT_AS_TYPED, READY_WHEN_TYPED } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

// Live objects against the tables. Every client of the end-to-end tests checks each frame that it gets; this file sees to
// it that everything in the tables really comes.

let instance: Instance;
let client: Client;

async function begin(): Promise<void> {
  instance = await Instance.up({
    flight: { triggers: {} },
    notifications: { ways: { page: { browser: {} } }, rules: [{ ways: ["page"], group_wait: "0s" }] },
    modes: { run: { start: ["tools/echo"], parameters: { rate: 1 }, fallback: "safe" }, safe: { start: ["tools/echo"] }, other: {} },
    groups: { tools: { opened: false } },
    processes: {
      "tools/echo": {
        command: ECHO,
        autostart: true,
        log_file: "echo.log",
        vnc: { display: 5, port: 5905 },
        forward_x11: true,
        alert: { silent_for: "1s", output_matches: "alarm" },
        limits_act: [{ run_time: "1s", then: "notify" }],
      },
      "tools/inner/ready": {
        command: READY_WHEN_TYPED,
        ready: { regex: "listening" },
        alternate_commands: { loud: "sleep 7", "very loud": ["a b", "c"] },
      },
      exits: { command: EXIT_AS_TYPED },
      waits: { command: ECHO, depends_on: ["exits", "tools/inner/ready"] },
      missing: { command: "./no-such-program" },
      replicated: { command: ECHO, replicas: 1 },
      retried: {
        command: "false",
        // Neither comes to pass in the time of these tests, however slow the machine is.
        restart: { policy: "on-failure", delay: "1h", max_delay: "1h" },
        schedule: { cron: `0 ${(new Date().getUTCHours() + 12) % 24} * * *`, timezone: "UTC" },
        tags: ["flaky"],
      },
    },
  });
  client = await instance.connect();
  await eventually("it runs", async () => (await client.process("tools/echo")).state === "started");
}

beforeAll(begin);
// What is tried again must not stand on what the first try has left.
beforeEach(async ({ task }) => {
  if ((task.result?.retryCount ?? 0) === 0) return;
  await instance[Symbol.asyncDispose]();
  await begin();
});
afterAll(() => instance?.[Symbol.asyncDispose]());

describe("a snapshot", () => {
  test("on a full connection is followed at once by services and loggers", async () => {
    const snapshot = await client.snapshot();
    await client.ask({ type: "request_logs", limit: 1 });
    const after = client.frames.slice(client.frames.indexOf(snapshot), client.frames.indexOf(snapshot) + 3);
    expect(after.map(({ type }) => type)).toEqual(["snapshot", "services_snapshot", "loggers_snapshot"]);
  });

  test("names manager, hosts, start tools, the asset hash of the page and the web user's display", async () => {
    const snapshot = await client.snapshot();
    const page = await (await instance.fetch("/")).text();
    expect(page).toContain(String(snapshot.webui_asset_hash));
    expect(snapshot.webui_asset_hash).not.toBe("");
    const { name, host } = snapshot.manager as { name: string; host: string };
    expect(name).toBe("e2e");
    expect(snapshot.hosts).toEqual([host]);
    const [entry] = snapshot.host_list as {
      name: string;
      aliases: string[];
      node_aliases: string[];
      all_names: string[];
      daemon_ready: boolean;
    }[];
    expect(entry).toMatchObject({ name: host, daemon_ready: true });
    expect(entry?.aliases).toContain("localhost");
    expect(entry?.all_names).toEqual([...new Set([host, ...(entry?.aliases ?? []), ...(entry?.node_aliases ?? [])])]);
    expect((snapshot.start_tools as object[]).slice(0, 2)).toEqual([
      { value: null, label: "default" },
      { value: "none", label: "no tool" },
    ]);
    expect(snapshot.web_x_display).toEqual({ known: false, running: false, ready: false, username: "ada", display_name: "", process: "" });
    expect(snapshot.log_min_level).toBe("info");
  });

  test("has processes and their tree in the order of the configuration", async () => {
    const snapshot = await client.snapshot();
    const process = (name: string) => ({ type: "process", name });
    expect(snapshot.process_tree).toMatchObject([
      {
        type: "group",
        name: "tools",
        display_name: "tools",
        opened: false,
        children: [
          process("tools/echo"),
          { name: "tools/inner", display_name: "inner", opened: true, children: [process("tools/inner/ready")] },
        ],
      },
      process("exits"),
      process("waits"),
      process("missing"),
      { name: "replicated", opened: false, children: [process("replicated/1")] },
      process("retried"),
    ]);
    expect((snapshot.processes as { name: string }[]).map(({ name }) => name)).toEqual([
      "tools/echo",
      "tools/inner/ready",
      "exits",
      "waits",
      "missing",
      "replicated/1",
      "retried",
    ]);
  });

  test("shows commands as documented", async () => {
    const process = await client.process("tools/inner/ready");
    expect(process).toMatchObject({ display_name: "ready", node: "localhost", has_ready_state: true, depends_on: [], autostart: false });
    expect((process.alternate_commands as string[][]).map(([label]) => label)).toEqual(["default", "loud", "very loud"]);
    expect((process.alternate_commands as string[][]).slice(1)).toEqual([
      ["loud", "sleep 7"],
      ["very loud", "'a b' c"],
    ]);
    expect(process.command).toBe((process.alternate_commands as string[][])[0]?.[1]);
    expect(process).toMatchObject({ current_alternate_command: "default", current_command: process.command, command_override: null });
    expect(await client.process("waits")).toMatchObject({ depends_on: ["exits", "tools/inner/ready"] });
  });
});

describe("answers", () => {
  test("echo a request_id, string or number; a command without one gets no answer", async () => {
    for (const request_id of ["x", "x".repeat(64), 0, -5, Number.MAX_SAFE_INTEGER]) {
      const from = client.here;
      client.send({ type: "set_log_min_level", level: "info", request_id });
      expect(await client.until("an ack", ({ type }) => type === "ack", from)).toEqual({
        type: "ack",
        request_type: "set_log_min_level",
        request_id,
      });
    }
    // The alert and the limit of a process come by themselves, a second after its start: its silence, and the time that it has run.
    await eventually("the alert and the limit are known", async () => {
      const { alerts, limits } = (await client.snapshot()) as unknown as { alerts: { name: string }[]; limits: { name: string }[] };
      return [alerts, limits].every((list) => list.some(({ name }) => name === "tools/echo"));
    });
    const from = client.here;
    client.send({ type: "set_log_min_level", level: "info" });
    client.send({ type: "unsubscribe_process_output", patterns: ["x"] });
    const answer = await client.ask({ type: "request_logs", limit: 1 });
    // What happens beside the test is told, too.
    const events = ["log_batch", "notifications_changed"];
    expect(client.frames.slice(from, client.frames.indexOf(answer)).filter(({ type }) => !events.includes(type))).toEqual([]);
  });

  test("without a request_id have none", async () => {
    const from = client.here;
    client.send({ type: "get_process_output", name: "exits" });
    const answer = await client.until("an answer", ({ type }) => type === "process_output_snapshot", from);
    expect(answer).not.toHaveProperty("request_id");
    expect(answer).toMatchObject({ name: "exits", pid: 0, output: "", truncated: false });
  });

  test("have log entries of the requested level and number", async () => {
    const all = (await client.ask({ type: "request_logs" })).entries as { id: number; level: string }[];
    expect(all.length).toBeGreaterThan(3);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => a - b));
    const two = (await client.ask({ type: "request_logs", limit: 2 })) as Frame;
    expect(two.history).toBe(true);
    expect(two.entries).toHaveLength(2);
    const errors = (await client.ask({ type: "request_logs", level: "error" })).entries as { level: string }[];
    expect(errors.every(({ level }) => level === "error")).toBe(true);
  });
});

describe("the contents of the tables", () => {
  test("are complete: every manager frame and every resource was seen, with every field of its type", async () => {
    const log = await instance.connect("?log_only=1");
    await log.command({ type: "set_log_min_level", level: "debug" });
    await client.command({ type: "subscribe_process_output", patterns: ["*"] });
    await client.command({ type: "send_stdin", name: "tools/echo", text: "x\n" });
    await client.untilOutput("tools/echo", "you typed x");
    await client.ask({ type: "get_process_output", name: "tools/echo", lines: 5, times: true });
    for (const name of ["missing", "retried", "waits"]) await client.command({ type: "start_process", name });
    await client.untilState("missing", "error");
    await client.untilState("retried", "backoff");
    await client.untilState("waits", "waiting");
    await client.untilState("tools/inner/ready", "started");
    await client.command({ type: "send_stdin", name: "tools/inner/ready", text: "go\n" });
    await client.untilState("tools/inner/ready", "ready");
    await client.command({ type: "stop_group", name: "tools" });
    await client.untilState("tools/inner/ready", "stopped");
    await client.snapshot();
    // A daemon that dies and comes back: the only way a host changes.
    const start = client.here;
    instance.kill("daemon");
    await client.until(
      "the host is back",
      ({ type, host }) => type === "host_upsert" && (host as { daemon_ready: boolean }).daemon_ready,
      start,
    );
    await client.ask({ type: "make_tea" });
    await commandsOfAProcess();
    await tasksOfTheHost();
    await programsOnTheBus();
    await networkOfTheHost();
    await displayOfTheUser();
    await searchesOfTheOutput();
    await changesOfTheConfiguration();
    await requestsThatCannotBeSaved();

    expect([...client.problems, ...log.problems]).toEqual([]);
    const seen = new Set([...client.seen, ...log.seen]);
    // A host acts alone in test/e2e/manager/without-manager.test.ts.
    const elsewhere = new Set([
      "time without a manager",
      "resumed processes",
      ...FEATURE_CONTRACTS.flatMap(({ seenElsewhere = [] }) => seenElsewhere),
    ]);
    const rows = { "manager frame": Object.keys(MANAGER_FRAMES), resource: Object.keys(RESOURCES) } as const;
    for (const kind of ["manager frame", "resource"] as const) {
      const missing = rows[kind].filter((name) => !seen.has(name) && !elsewhere.has(name));
      expect(missing, `${kind}s that did not come`).toEqual([]);
    }
    const states = new Set(
      client.frames.flatMap(({ type, process }) => (type === "process_upsert" ? (process as { state: string }).state : [])),
    );
    expect([...states].sort()).toEqual([...STATES].sort());
  });
});

async function commandsOfAProcess(): Promise<void> {
  const name = "exits";
  expect(await client.ask({ type: "set_process_attribute", name, attribute: "svc_debug", value: true })).toMatchObject({
    ok: true,
    value: true,
  });
  expect((await client.process(name)).svc_debug).toBe(true);
  const startup = await client.ask({ type: "dump_startup_commands", name });
  expect((startup.commands as string[]).join("\n")).toContain("exit $code");
  expect(await client.ask({ type: "request_process_detail", name })).toMatchObject({ ok: true, name });
}

/** The list of the host's tasks, and a change to one that is taken back. */
async function tasksOfTheHost(): Promise<void> {
  await client.command({ type: "start_process", name: "tools/echo" });
  await eventually("it runs again", async () => (await client.process("tools/echo")).pid !== null);
  const { pid, host } = await client.process("tools/echo");
  expect(await client.ask({ type: "request_process_loads", name: "tools" })).toMatchObject({ loads: [{ name: "tools/echo" }] });
  await eventually("the load of a machine, since the sample before", async () => {
    const { hosts } = await client.ask({ type: "request_process_loads", name: "tools" });
    return Array.isArray(hosts) && hosts.length > 0;
  });
  expect(await client.ask({ type: "follow_terminal_size", name: "tools/echo" })).toMatchObject({ name: "tools/echo" });
  const question = { type: "request_process_list", host: "localhost", show_threads: true, show_env: true };
  const list = await client.ask({ ...question, filter: "process:==:tools/echo\0env:~:MGR_RUN=" });
  expect(list).toMatchObject({ ok: true, host, show_threads: true, show_env: true, filter: "process:==:tools/echo\0env:~:MGR_RUN=" });
  const rows = list.rows as { key: string; process: string; cells: { raw: unknown; formatted: string }[] }[];
  expect(rows.map(({ process }) => process)).toEqual(rows.map(() => "tools/echo"));
  const row = rows.find(({ key }) => key === `${pid}:${pid}`);
  const raw = (name: string) => row?.cells[(list.columns as { name: string }[]).findIndex((column) => column.name === name)]?.raw;
  expect([raw("pid"), raw("tid"), raw("process"), raw("policy")]).toEqual([pid, pid, "tools/echo", 0]);
  const task = { type: "set_process_list_task", host: "localhost", pid, tid: pid, policy: 0, prio: 0 };
  const cpu = String(raw("affinity")).split(",")[0] ?? "0";
  const answered = { type: "process_list_task_set_result", host, pid, tid: pid };
  expect(await client.ask({ ...task, affinity: cpu })).toMatchObject({ ...answered, ok: true, policy: 0, prio: 0, affinity: cpu });
  const refused = await client.ask({ ...task, prio: 50, affinity: String(raw("affinity")) });
  expect(refused).toMatchObject({ ...answered, ok: false, code: "bad_field" });
  expect(refused.message).toContain("EINVAL");
  expect(await client.ask({ ...question, filter: "speed:==:1" })).toMatchObject({ type: "process_list", ok: false, code: "bad_field" });
  expect(await client.ask({ ...question, host: "elsewhere" })).toMatchObject({ type: "process_list", ok: false, code: "not_found" });
}

/** A program that publishes a topic and provides a service, as long as it is connected. */
async function programsOnTheBus(): Promise<void> {
  const start = client.here;
  const program = await BusProgram.start(instance.stateDir);
  const isThere = (type: string, name: string) => (frame: Frame) =>
    frame.type === `${type}_upsert` && (frame[type] as { name: string }).name === name;
  await client.until("the topic", isThere("topic", "arm/state"), start);
  for (const name of ["arm/move_to", "scope", "arm/controller/parameters", "arm/mute"])
    await client.until(name, isThere("service", name), start);
  const { clients } = await client.ask({ type: "request_clients" });
  expect(clients).toMatchObject([{ name: "arm/controller", published_topics: ["arm/state"] }]);
  expect(await client.ask({ type: "request_topics" })).toMatchObject({ topics: [{ name: "arm/state", publisher: "arm/controller" }] });
  const { services } = await client.ask({ type: "request_services" });
  expect((services as { name: string }[]).map(({ name }) => name).sort()).toEqual([
    "arm/controller/parameters",
    "arm/move_to",
    "arm/mute",
    "scope",
  ]);
  await topicsOf(program);
  await recordingOf(program);
  await loggerOf(program);
  const live = { ask: (frame: Frame) => askLive(client, frame), client, program, process: "tools/echo", topic: "arm/state" };
  for (const frames of LIVE_FRAMES) await frames(live);
  await parametersOf(services as { name: string }[], (clients as { id: number }[])[0]?.id ?? 0);
  await client.snapshot();
  await program.end();
  for (const type of ["client_remove", "topic_remove", "service_remove"]) await client.until(type, (frame) => frame.type === type, start);
}

/** A recording from its start to its end. */
async function recordingOf(program: BusProgram): Promise<void> {
  const name = "trial";
  const start = client.here;
  const answered = { type: "recording_action_result", ok: true, name };
  expect(await client.ask({ type: "start_recording", name, topics: ["arm/*"], min_free_space: 0 })).toMatchObject({
    ...answered,
    action: "start",
  });
  program.publish(4);
  const isFilled = ({ type, recording }: Frame) => type === "recording_upsert" && (recording as { messages: number }).messages > 0;
  await client.until("a message is counted", isFilled, start);
  expect(await client.ask({ type: "stop_recording", name })).toMatchObject({ ...answered, action: "stop" });
  expect(await client.ask({ type: "request_recordings" })).toMatchObject({
    recordings: [{ name, state: "idle", topics: [{ name: "arm/state" }], files: [{ is_growing: false }] }],
  });
  expect(await client.ask({ type: "delete_recording", name })).toMatchObject({ ...answered, action: "delete" });
  await client.until("it is gone", ({ type }) => type === "recording_remove", start);
}

/** A logger from its configuration to its end. */
async function loggerOf(program: BusProgram): Promise<void> {
  const name = "trial";
  const start = client.here;
  const answered = { type: "logger_action_result", ok: true, name };
  const configure = { type: "configure_logger", name, only_ts: false, topics: [{ name: "arm/state", log_size: 3, divisor: 1 }] };
  expect(await client.ask(configure)).toMatchObject({ ...answered, action: "configure" });
  await client.until("it is there", ({ type, logger }) => type === "logger_upsert" && !(logger as DaemonLogger).enabled, start);
  expect(await client.ask({ type: "start_logger", name })).toMatchObject({ ...answered, action: "start" });
  expect(await client.ask(configure)).toMatchObject({ ...answered, ok: false, action: "configure", code: "conflict" });
  for (let number = 0; number < 5; number++) program.publish(number);
  const isFull = ({ type, logger }: Frame) =>
    type === "logger_upsert" && (logger as DaemonLogger).topics.some(({ active, n_samples }) => active && n_samples === 3);
  await client.until("three samples", isFull, start);
  expect(await client.ask({ type: "stop_logger", name })).toMatchObject({ ...answered, action: "stop" });
  const topic = { name: "arm/state", log_size: 3, divisor: 1, only_ts: false, enabled: false, active: false, n_samples: 3 };
  expect(await client.ask({ type: "request_loggers" })).toMatchObject({ loggers: [{ name, enabled: false, topics: [topic] }] });
  const deleted = client.here;
  expect(await client.ask({ type: "delete_logger", name })).toMatchObject({ ...answered, action: "delete" });
  await client.until("it is gone", ({ type }) => type === "logger_remove", deleted);
  const types = client.frames.slice(deleted).map(({ type }) => type);
  expect(types.indexOf("logger_action_result")).toBeLessThan(types.indexOf("logger_remove"));
}

async function topicsOf(program: BusProgram): Promise<void> {
  const name = "arm/state";
  const start = client.here;
  await client.command({ type: "subscribe_topic", name, max_rate: 20, fields: ["position"] });
  // The link between the brokers has to know of the subscription first.
  program.publish(1);
  await eventually("a sample", () => {
    program.publish(2);
    return client.frames.slice(start).some(({ type }) => type === "topic_sample");
  });
  await client.command({ type: "unsubscribe_topic", name });
  expect(await client.ask({ type: "publish_topic", name, value: 1 })).toMatchObject({ ok: false, code: "conflict", name });
  const stat = await client.ask({ type: "request_topics_stat", sample_seconds: 1 });
  expect(stat).toMatchObject({ ok: true, topics: [{ name }] });
  await eventually("details with a sample", async () => {
    const detail = await client.ask({ type: "request_topic_detail", name });
    expect(detail).toMatchObject({ ok: true, name, encoding: "json", publisher: { client: "arm/controller" } });
    return detail.last_sample !== null;
  });
  const { tasks } = await client.ask({ type: "request_topic_scheduling", name });
  const [task] = tasks as { host: string; pid: number; tid: number; policy: number }[];
  expect(task).toMatchObject({ pid: process.pid });
  const expected = { host: task?.host, pid: task?.pid, tid: task?.tid };
  const applied = await client.ask({
    type: "apply_topic_scheduling",
    name,
    tasks: [
      { ...expected, policy: 0 },
      { ...expected, prio: 50 },
    ],
  });
  expect(applied).toMatchObject({ ok: true, tasks: [{ ok: true }, { ok: false, code: "bad_field" }] });
}

async function parametersOf(services: { name: string }[], provider_id: number): Promise<void> {
  expect(services.length).toBe(4);
  await eventually("the service answers through the link", async () => {
    const answer = await client.ask({ type: "call_service", name: "arm/move_to", endpoint: "call", request: { position: 1 } });
    return answer.ok === true && (answer.response as { reached: number }).reached === 1;
  });
  // A provider has 1.8 s to answer.
  await eventually("the parameters of one provider, and that the other one did not answer", async () => {
    const { parameters, errors } = await client.ask({ type: "request_parameters", pattern: "*" });
    const [found, failed] = [parameters as { id: string }[], errors as { service: string }[]];
    return (
      `${found.map(({ id }) => id)} ${failed.map(({ service }) => service)}` === `${provider_id}:arm/controller/parameters:gain arm/mute`
    );
  });
  const named = { service: "arm/controller/parameters", provider_id, parameter: "gain" };
  const change = { type: "set_parameter_override", ...named, enabled: true, value: "2" };
  // A provider on a slow machine may need longer than that.
  const accepted = (frame: object) =>
    eventually(`${JSON.stringify(frame)} is accepted`, async () => {
      const answer = await client.ask(frame);
      return answer.ok === true ? answer : null;
    });
  expect(await accepted(change)).toMatchObject({ ok: true, ...named, enabled: true, value: "2" });
  expect(await accepted({ type: "open_parameter_scope", ...named })).toMatchObject({ ok: true, ...named, topic: "gain", process: "" });
}

/** The private display, and a configured one. */
async function displayOfTheUser(): Promise<void> {
  await eventually("it is ready", async () => ((await (await instance.fetch("/mgr/vnc/info")).json()) as { ready: boolean }).ready);
  const { vnc_sessions, web_x_display } = await client.snapshot();
  expect(vnc_sessions).toMatchObject([
    { kind: "configured", session_id: "tools/echo", vnc_display: 5, vnc_port: 5905 },
    { kind: "private", session_id: "" },
  ]);
  expect(web_x_display).toMatchObject({ known: true, running: true, ready: true });
  await expect(statusOfUpgrade("/mgr/vnc/ws")).resolves.toBe(101);
  const start = client.here;
  await client.command({ type: "restart_process", name: "tools/echo" });
  const used = await client.until("the use of the display", ({ type }) => type === "web_x_display_used", start);
  expect(used).toMatchObject({ process: "tools/echo", kind: "private", username: "ada", reason: "forward_x11_fallback" });
}

/** Lines in the log file, of the newest run too, and a search that ends early. */
async function searchesOfTheOutput(): Promise<void> {
  const search = { type: "search_output", search: "greetings", pattern: "hello", names: ["tools/echo"] };
  const hits = await eventually("a line of the newest run", async () => {
    const start = client.here;
    expect(await client.ask(search)).toMatchObject({ type: "search_output_done", truncated: [], unanswered: [], problems: [] });
    const found = client.frames.slice(start).flatMap((frame) => (frame.type === "search_output_hits" ? (frame.hits as OutputHit[]) : []));
    return found.some(({ run }) => run !== null) ? found : null;
  });
  expect(hits.filter(({ file }) => file?.path.endsWith("echo.log"))).not.toEqual([]);
  expect(await client.ask({ ...search, limit: 1 })).toMatchObject({ hits: 1, truncated: [{ by: "hits" }] });
}

/** Measurements of this machine. */
async function networkOfTheHost(): Promise<void> {
  const first = (await client.ask({ type: "request_network_stats", sample_seconds: 1 })).stats as NetworkStats;
  expect(first.interfaces.map((one) => one.interface)).toContain("lo");
  await eventually("the answer before is traffic of this WebSocket", async () => {
    const { links } = (await client.ask({ type: "request_network_stats", sample_mode: "previous" })).stats as NetworkStats;
    return links.some(({ children }) => children.some(({ kind, name }) => kind === "web" && name === "websocket"));
  });
  expect(await client.ask({ type: "request_network_topology" })).toMatchObject({ ok: true });
  const { connections } = await client.ask({ type: "request_tcp_connections", host: "localhost" });
  expect(connections).toContainEqual(expect.objectContaining({ pid: process.pid, bytes_received: expect.any(Number) }));
}

/** One process goes, one comes, one is changed; before that, the file is broken, told about, and mended. */
async function changesOfTheConfiguration(): Promise<void> {
  const start = client.here;
  const { content, hash, files, path } = await client.ask({ type: "request_config_file" });
  expect(files).toMatchObject([{ path, writable: true }]);
  const checked = await client.ask({ type: "check_config_file", path, content: "instance: {name: 7" });
  expect(checked).toMatchObject({ ok: false, path });
  const broken = await client.ask({ type: "save_config_file", path, content: "instance: {name: 7", base_hash: hash });
  expect(broken.ok).toBe(false);
  expect(broken.problems).not.toEqual([]);
  expect(checked.problems).toEqual(broken.problems);
  const { retried, ...processes } = (JSON.parse(String(content)) as { processes: { retried: object } }).processes;
  const changed = { ...JSON.parse(String(content)), processes: { ...processes, "new/one": retried, missing: { command: "./other" } } };
  const saved = await client.ask({ type: "save_config_file", path, content: JSON.stringify(changed), base_hash: hash });
  expect(saved).toMatchObject({ ok: true, problems: [] });
  const { versions } = await client.ask({ type: "request_config_history" });
  expect(versions).toMatchObject([{ hash: saved.hash, by: expect.any(String) }, { by: null }]);
  const plan = { ok: true, added: ["new/one"], removed: ["retried"], changed: ["missing"], problems: [] };
  expect(await client.ask({ type: "request_plan" })).toMatchObject(plan);
  expect(await client.ask({ type: "reload_config", dry_run: true })).toMatchObject(plan);
  expect((await client.process("retried")).state).toBe("backoff");
  expect(await client.ask({ type: "reload_config" })).toMatchObject(plan);
  await client.until("the process that went", ({ type, name }) => type === "process_remove" && name === "retried", start);
  await client.until(
    "the tree's new shape",
    ({ type, process_tree }) => type === "process_tree" && JSON.stringify(process_tree).includes("new/one"),
    start,
  );
  expect((await client.process("missing")).command).toBe("./other");
  await hostsThatComeAndGo(changed);
}

/** A host is configured, and then it is not. */
async function hostsThatComeAndGo(configuration: Record<string, unknown>): Promise<void> {
  const { processes } = configuration as { processes: object };
  // Output that cannot be searched.
  const unsearched = { far: { command: "true", node: "away" }, device: { command: "true", log_file: "/dev/null" } };
  for (const hosts of [{ away: {} }, {}]) {
    const start = client.here;
    const { hash, path } = await client.ask({ type: "request_config_file" });
    const changed = { ...configuration, hosts, processes: "away" in hosts ? { ...processes, ...unsearched } : processes };
    await client.ask({ type: "save_config_file", path, content: JSON.stringify(changed), base_hash: hash });
    expect(await client.ask({ type: "reload_config" })).toMatchObject({ ok: true });
    if ("away" in hosts) await client.until("the host", ({ host }) => (host as { name?: string } | undefined)?.name === "away", start);
    // A host that was never there is a problem of the network.
    if ("away" in hosts)
      expect(await client.ask({ type: "request_network_stats", sample_mode: "previous" })).toMatchObject({
        stats: { problems: expect.arrayContaining([expect.objectContaining({ kind: "unreachable", host: "away" })]) },
      });
    if ("away" in hosts)
      expect(await client.ask({ type: "search_output", search: "nothing", pattern: "x", names: Object.keys(unsearched) })).toMatchObject({
        unanswered: [{ host: "away" }],
        problems: [{ problem: "/dev/null was not searched: it is not a regular file" }],
      });
    if (!("away" in hosts)) await client.until("the host that went", ({ type, name }) => type === "host_remove" && name === "away", start);
  }
}

async function requestsThatCannotBeSaved(): Promise<void> {
  const saveProblem = (isThere: boolean) => (frame: Frame) =>
    frame.type === "manager_upsert" && ((frame.manager as { save_problem: string | null }).save_problem !== null) === isThere;
  const start = client.here;
  await blockIntentFile(instance.stateDir);
  await client.command({ type: "stop_process", name: "tools/echo" });
  await client.until("the problem", saveProblem(true), start);
  unblockIntentFile(instance.stateDir);
  await client.until("the end of the problem", saveProblem(false), start);
}

describe("routes", () => {
  const upgrades = new Set(ROUTES.flatMap(({ path, status }) => (status === 101 ? path : [])));
  const plain = ROUTES.filter(({ path }) => !upgrades.has(path));
  const named = (routes: typeof ROUTES) => routes.map((route) => [`${route.method} ${route.path}`, route] as const);

  test.each(named(plain))("%s answers", async (_name, { method, path, status, contentType, authenticated }) => {
    const response = await instance.fetch(path, { method });
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    if (contentType !== null) expect(response.headers.get("content-type")).toMatch(new RegExp(`^${contentType}`));
    const unrelated = await fetch(new URL(path, instance.url), { method });
    expect(unrelated.status).toBe(authenticated ? 401 : status);
    if (authenticated) {
      expect(unrelated.headers.get("www-authenticate")).toBe(CHALLENGE);
      expect(unrelated.headers.get("content-type")).toMatch(/^text\/plain/);
    }
  });

  test("upgrades need credentials", async () => {
    await expect(statusOfUpgrade("/mgr/vnc/ws", {})).resolves.toBe(REFUSALS["no or wrong credentials"]);
    await expect(statusOfUpgrade("/mgr/gui/ws", {})).resolves.toBe(REFUSALS["no or wrong credentials"]);
    await expect(statusOfUpgrade("/mgr/gui/ws?display=:0")).resolves.toBe(101);
    await expect(statusOfUpgrade("/mgr/forward/ws?host=localhost&port=22", {})).resolves.toBe(REFUSALS["no or wrong credentials"]);
    await expect(statusOfUpgrade("/ws")).resolves.toBe(101);
    await expect(statusOfUpgrade("/ws", {})).resolves.toBe(REFUSALS["no or wrong credentials"]);
  });

  test("refusals have the documented statuses", async () => {
    const status = async (path: string, init: RequestInit = {}) => (await instance.fetch(path, init)).status;
    expect(await status("/", { headers: { authorization: `Basic ${btoa("ada:wrong")}` } })).toBe(REFUSALS["no or wrong credentials"]);
    expect(await status("/", { headers: { origin: "http://evil.example" } })).toBe(REFUSALS["foreign Origin or Host"]);
    expect(await status("/mgr/log?raw&level=loud")).toBe(REFUSALS["bad query"]);
    expect(await status("/no/such/route")).toBe(REFUSALS["unknown route or name"]);
    expect(await status("/mgr/logout")).toBe(REFUSALS["wrong method"]);
    expect(await status("/mgr/logout", { method: "POST", body: "x".repeat(1_000_000) })).toBe(REFUSALS["request too large"]);
  });

  test("a log-in sets the cookie with exactly the documented attributes, which then logs in alone, on upgrades, too", async () => {
    const response = await instance.fetch("/");
    const [value = "", ...attributes] = (response.headers.get("set-cookie") ?? "").split("; ");
    expect(value).toMatch(new RegExp(`^${SESSION_COOKIE.name}=[A-Za-z0-9_-]{43}$`));
    expect(attributes.sort()).toEqual([...SESSION_COOKIE.attributes].sort());
    const again = await fetch(new URL("/", instance.url), { headers: { cookie: value } });
    expect(again.status).toBe(200);
    expect(again.headers.get("set-cookie")).toBeNull();
    await expect(statusOfUpgrade("/ws", { cookie: value })).resolves.toBe(101);
    const logout = await fetch(new URL("/mgr/logout", instance.url), { method: "POST", headers: { cookie: value } });
    expect(logout.ok).toBe(true);
    expect((await fetch(new URL("/", instance.url), { headers: { cookie: value } })).status).toBe(401);
  });

  test("/mgr/log has one line an entry, of the requested level and number, and follows", async () => {
    const lines = async (query: string) =>
      (await (await instance.fetch(`/mgr/log?raw${query}`)).text()).split("\n").filter((line) => line !== "");
    const all = await lines("");
    expect(all.length).toBeGreaterThan(5);
    for (const line of all) expect(line).toMatch(LOG_LINE);
    // Each log-in is an entry of level debug.
    // Something may be logged between the two answers.
    await eventually("the last two are those of the whole", async () =>
      isDeepStrictEqual(await lines("&limit=2&level=info"), (await lines("&level=info")).slice(-2)),
    );
    expect((await lines("&level=error")).every((line) => / error /.test(line))).toBe(true);
    expect((await instance.fetch("/mgr/log?raw&level=loud")).status).toBe(400);
    expect((await instance.fetch("/mgr/log?raw&limit=0")).status).toBe(400);

    const ending = new AbortController();
    const response = await instance.fetch("/mgr/log?raw&follow&limit=1", { signal: ending.signal });
    const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
    await client.command({ type: "start_process", name: "missing" });
    let text = "";
    while (!text.includes("process 'missing' changes state from 'starting' to 'error'")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the log ended after:\n${text}`);
      text += value;
    }
    ending.abort();
    await reader.closed.catch(() => {});
  });
});

/** Status that an upgrade is answered with. */
function statusOfUpgrade(path: string, headers: Record<string, string> = { authorization: instance.basic }): Promise<number> {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(`${instance.url.replace(/^http/, "ws")}${path}`, { headers });
    const finish = (status: number) => {
      ws.on("error", () => {});
      ws.terminate();
      resolve(status);
    };
    ws.once("open", () => finish(101));
    ws.once("unexpected-response", (_request, response) => finish(response.statusCode ?? 0));
    ws.once("error", reject);
  });
}
