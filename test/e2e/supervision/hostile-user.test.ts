import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { CLIENT_FRAMES } from "../../contract/client-frames.ts";
import { exampleOf, TAKEN } from "../../contract/examples.ts";
import type { Client, Frame } from "../support/client.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

// A user who may look at some processes tries to see and to change the others, in every way that there is.

const EVE = `Basic ${Buffer.from("eve:let me in 12").toString("base64")}`;
const HIDDEN = ["vault/keyring", "vault/deep/ledger"];
/** Parts of the names of hidden processes, and what they print. */
const SECRET = /vault|keyring|ledger|you typed gold/;
const NAMES = ["sim/world", "sim/needs", "sim", "sim/nothing", ...HIDDEN, "vault", "vault/deep", "", "*", "vault/*"];
const ATTEMPTS = 500;

const configuration = (role: string): Configuration => ({
  processes: {
    "sim/world": { command: ECHO, autostart: true },
    "sim/needs": { command: ECHO, depends_on: ["vault/keyring"], autostart: true },
    "vault/keyring": { command: ECHO, autostart: true },
    "vault/deep/ledger": { command: "exit 3", restart: { policy: "never" }, autostart: true },
  },
  access: { users: { eve: [{ role, on: "sim/*" }] } },
});

test("500 attempts of a user with the role viewer on sim/* show nothing of other processes, and change nothing", async () => {
  await using instance = await Instance.up(configuration("viewer"));
  appendFileSync(instance.authFile, "eve let me in 12\n");
  const admin = await instance.connect();
  const eve = await instance.connect("", EVE);
  await eventually("it has started", async () => (await admin.process("sim/needs")).state === "started");
  await eventually("the other one has, too", async () => (await admin.process("sim/world")).state === "started");
  await eventually("it has failed", async () => (await admin.process("vault/deep/ledger")).state === "error");
  await admin.command({ type: "subscribe_process_output", patterns: ["*"] });
  await admin.command({ type: "send_stdin", name: "vault/keyring", text: "gold\n" });
  await admin.untilOutput("vault/keyring", "you typed gold");
  const before = await stateOf(admin);

  let attempts = 0;
  const learned: string[] = [];
  for (const { frame, values } of frames()) {
    const from = eve.here;
    const answer = await eve.ask(frame);
    attempts++;
    if (changes(frame.type)) expect(answer, JSON.stringify(frame)).toMatchObject({ code: expect.stringMatching(/forbidden|bad_field/) });
    for (const each of eve.frames.slice(from)) learned.push(without(JSON.stringify(each), values));
  }
  for (const path of PATHS) {
    const response = await instance.fetch(path, { headers: { authorization: EVE } });
    learned.push(without(`${[...response.headers].join()} ${await response.text()}`, NAMES));
    expect([path, response.status]).toEqual([path, expect.toBeOneOf([400, 403, 404])]);
    attempts++;
  }
  for (const path of SOCKETS) {
    expect([path, await upgrade(instance, path)]).toEqual([path, expect.toBeOneOf([400, 403, 404])]);
    attempts++;
  }
  expect(attempts).toBeGreaterThanOrEqual(ATTEMPTS);
  expect(await stateOf(admin)).toEqual(before);
  // Changes of hidden processes are not told, either, although one in view depends on them.
  const from = admin.here;
  await admin.command({ type: "restart_process", name: "vault/keyring" });
  await admin.untilOutput("vault/keyring", "hello", from);
  await admin.untilOutput("sim/needs", "hello", from);
  await eve.snapshot();
  for (const each of eve.frames) if (each.request_id === undefined) learned.push(JSON.stringify(each));

  expect(learned.filter((text) => SECRET.test(text))).toEqual([]);
  expect(eve.problems).toEqual([]);
});

test("a reload that changes a user's role takes effect on open connections at once", async () => {
  await using instance = await Instance.up(configuration("viewer"));
  appendFileSync(instance.authFile, "eve let me in 12\n");
  const admin = await instance.connect();
  const eve = await instance.connect("", EVE);
  expect(await eve.ask({ type: "stop_process", name: "sim/world" })).toMatchObject({ code: "forbidden" });
  instance.write(configuration("operator"));
  expect(await admin.ask({ type: "reload_config" })).toMatchObject({ ok: true });
  expect(await eve.closed).toMatchObject({ code: 1012 });
  const again = await instance.connect("", EVE);
  await again.command({ type: "stop_process", name: "sim/world" });
  await again.untilState("sim/world", "stopped");
  for (const frame of [
    { type: "stop_process", name: "vault/keyring" },
    { type: "send_stdin", name: "sim/needs", text: "x" },
    { type: "set_process_command_override", name: "sim/needs", override: "true" },
  ])
    expect(await again.ask(frame)).toMatchObject({ code: "forbidden" });
  // The connection of a user whose role is the same stays open.
  expect((await admin.process("sim/world")).requested_by).toBe("eve");
});

const SPEAKER = fileURLToPath(new URL("../../fixtures/bus-speaker.js", import.meta.url));

test("on the bus, a user with the role operator on sim/* reaches topics and services of these processes only, also behind wildcards", async () => {
  const speaker = (service: string) => ({
    command: [process.execPath, SPEAKER, service],
    autostart: true,
    ready: { regex: "on the bus" },
  });
  await using instance = await Instance.up({
    processes: { "sim/speaker": speaker("mover"), "vault/speaker": speaker("goldsmith") },
    access: { users: { eve: [{ role: "operator", on: "sim/*" }] } },
  });
  appendFileSync(instance.authFile, "eve let me in 12\n");
  const admin = await instance.connect();
  await admin.command({ type: "subscribe_process_output", patterns: ["*"] });
  const types = (name: string, subject: string, text: string) => admin.command({ type: "send_stdin", name, text: `${subject} ${text}\n` });
  const published = async (name: string, subject: string, text: string) => {
    await types(name, subject, text);
    await admin.untilOutput(name, `has published ${text}`);
  };
  for (const name of ["sim/speaker", "vault/speaker"])
    await eventually(`'${name}' is ready`, async () => (await admin.process(name)).state === "ready");
  const names = async (client: Client, type: string, list: string) =>
    ((await client.ask({ type }))[list] as Frame[]).map(({ name }) => name);
  await eventually("the services are known", async () => (await names(admin, "request_services", "services")).length === 2);

  const refused: string[] = [];
  const eve = await connectBus({
    server: { kind: "url", urls: [`${instance.url.replace(/^http/, "ws").replace("://", "://eve:let%20me%20in%2012@")}`] },
    name: "eve",
    waitForBroker: false,
    log: (_level, msg) => void refused.push(msg),
  });
  const received: string[] = [];
  for (const subject of WILDCARDS)
    eve.subscribe(subject, (message) => void received.push(`${message.subject} ${Buffer.from(message.data)}`));
  for (const queue of ["q", "workers"]) eve.subscribe("topic.>", (message) => void received.push(`${queue} ${message.subject}`), { queue });
  await eve.flush();
  const page = await instance.connect("", EVE);
  for (const name of ["world", "gold", "tool"]) await page.command({ type: "subscribe_topic", name });
  await published("sim/speaker", "topic.world", "first");
  await published("vault/speaker", "topic.gold", "secret1");
  await eventually("the topic is known", async () => (await names(page, "request_topics", "topics")).includes("world"));
  await published("vault/speaker", "topic.gold", "secret2");
  // The host learns of the subscriptions a moment after the topic is known.
  await eventually("the topic in view is received, on the bus and by the page", async () => {
    await types("sim/speaker", "topic.world", "hello");
    return received.includes("topic.world hello") && page.frames.some(({ type, name }) => type === "topic_sample" && name === "world");
  });

  // Calls, and all ways to make somebody else call.
  const call = (subject: string) => eve.request(subject, "eve", { timeoutMs: 60_000 }).then(({ data }) => String(Buffer.from(data)));
  expect(await call("svc.mover.call")).toBe('"mover answers"');
  for (const subject of ["svc.goldsmith.call", "$SRV.PING", "$SRV.INFO.goldsmith", "topic.gold", "topic.new", "plain", "mgr.host.x.stop"]) {
    eve.publish(subject, "eve");
    eve.publish(subject, "eve", { reply: eve.inbox() });
    eve.publish("svc.mover.call", "eve", { reply: subject });
  }
  const answer = await eve.connection.request(
    "mgr.client.register",
    JSON.stringify({ name: "vault/speaker", topics: [{ name: "gold", encoding: "json" }] }),
  );
  expect(answer.json()).toMatchObject({ problems: [{ topic: "gold", code: "forbidden" }] });
  for (const frame of [
    { type: "call_service", name: "goldsmith", endpoint: "call", request: "eve" },
    { type: "publish_topic", name: "gold", value: "eve" },
    { type: "request_topic_detail", name: "gold" },
  ])
    expect(await page.ask(frame)).toMatchObject({ code: "forbidden" });
  expect(await page.ask({ type: "call_service", name: "mover", endpoint: "call", request: "page" })).toMatchObject({
    response: "mover answers",
  });

  // A hidden process begins to publish the topic in view: from then on, nothing of it is delivered.
  await published("vault/speaker", "topic.world", "joins");
  await eventually("the topic is hidden", async () => (await names(page, "request_topics", "topics")).length === 0);
  await published("vault/speaker", "topic.world", "secret3");
  await published("sim/speaker", "topic.world", "beside");
  await eve.flush();
  const { topics, services, clients } = await page.snapshot();
  expect([topics, (services as Frame[]).map(({ name }) => name), (clients as Frame[]).map(({ name }) => name)]).toEqual([
    [],
    ["mover"],
    ["mover"],
  ]);
  await admin.snapshot();
  await eve.close();

  const learned = [...received, ...page.frames.map((frame) => JSON.stringify(frame))];
  expect(learned.filter((text) => /secret|gold|vault|beside|workers/.test(text)).filter((text) => !text.includes('"forbidden"'))).toEqual(
    [],
  );
  expect(received.filter((text) => !/^topic\.world (first|hello|joins)$/.test(text))).toEqual([]);
  const shown = admin.frames.filter(({ type, name }) => type === "process_output" && name === "vault/speaker");
  expect(JSON.stringify(shown)).not.toContain("was called");
  expect(refused.length).toBeGreaterThan(0);
});

const WILDCARDS = [
  ">",
  "*.>",
  "*.*",
  "*.*.*",
  "topic.>",
  "topic.*",
  "topic.world",
  "topic.gold",
  "svc.>",
  "svc.goldsmith.call",
  "$SRV.>",
  "_INBOX.>",
  "mgr.>",
  "plain",
];

/** At least enough frames of all types, about each name, with values that are valid. */
function* frames(): Generator<{ frame: Frame; values: string[] }> {
  for (const [type, { fields }] of Object.entries(CLIENT_FRAMES))
    for (const name of NAMES) {
      const taken: Readonly<Record<string, unknown>> = TAKEN[type] ?? {};
      const values = Object.entries(fields).map(([field, kind]) => [field, aboutName(field, taken[field] ?? exampleOf(kind), name)]);
      yield { frame: { ...Object.fromEntries(values), type }, values: NAMES };
    }
}

/** Lists of names and patterns are about the name, too. */
function aboutName(field: string, value: unknown, name: string): unknown {
  if (field === "name") return name;
  if (field === "names" || field === "patterns") return [name];
  return field === "pattern" ? name : value;
}

const PATHS = [
  "/save-all",
  "/mgr/log",
  "/mgr/log?follow=1",
  "/mgr/metrics",
  "/mgr/bus",
  "/mgr/names?kind=process&kind=group&kind=topic",
  "/mgr/recording?name=a&host=b&file=c",
  "/mgr/logger-download?name=a",
  "/mgr/logger-download?name=a&stop=1",
  "/mgr/vnc/info",
  "/mgr/vnc/info?session=vault/keyring",
  "/mgr/nothing",
  "/mgr/output?group=",
  ...["sim/world", "sim", ...HIDDEN, "vault"].flatMap((name) => [`/mgr/output?name=${name}`, `/mgr/output?group=${name}`]),
];

const SOCKETS = [
  "/mgr/gui/ws",
  "/mgr/forward/ws?host=localhost&port=22",
  "/mgr/vnc/ws",
  "/mgr/vnc/ws?session=vault/keyring",
  ...HIDDEN.map((name) => `/ws?single_process=${name}`),
  "/ws?single_group=vault",
  "/ws?single_group=vault/deep",
];

/** The status that refuses an upgrade; 101 if it is accepted. */
function upgrade(instance: Instance, path: string): Promise<number> {
  const ws = new WebSocket(`${instance.url.replace(/^http/, "ws")}${path}`, { headers: { authorization: EVE } });
  return new Promise((resolve) => {
    ws.on("error", () => {});
    ws.once("open", () => {
      ws.terminate();
      resolve(101);
    });
    ws.once("unexpected-response", (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
  });
}

/** Frames that only look; the audit alone has what `record_agent_call` says. */
const READS = /^(get_|compare_|plan_|request_|subscribe_|unsubscribe_|search_|cancel_|set_log_min_level|follow_|record_agent_call)/;
const changes = (type: string): boolean => !READS.test(type);

/** The state that an attacker could change, as an admin sees it. */
async function stateOf(admin: Client): Promise<unknown> {
  const { processes, start_tools } = await admin.snapshot();
  const { content } = await admin.ask({ type: "request_config_file" });
  const settings = (processes as Frame[]).map(
    ({ pid: _pid, start_time: _start, stop_time: _stop, requested_by: _by, requested_time: _at, ...rest }) => rest,
  );
  return { settings, start_tools, content };
}

/** A text without what was asked for, which an answer repeats. */
function without(text: string, said: readonly string[]): string {
  const parts = said.filter((part) => part.length > 1).sort((a, b) => b.length - a.length);
  return parts.reduce((rest, part) => rest.replaceAll(part, "").replaceAll(encodeURIComponent(part), ""), text);
}
