import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
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
  "/mgr/bus",
  "/mgr/gui/ws",
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

const READS = /^(get_|request_|subscribe_|unsubscribe_|search_|cancel_|set_log_min_level|follow_terminal_size)/;
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
