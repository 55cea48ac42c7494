import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freeDisplay } from "../../../src/features/displays/host/display-numbers.ts";
import { Client, type ProcessView } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";
import { colorsOf, Viewer } from "./rfb.ts";

const run = promisify(execFile);
const BOB = `Basic ${Buffer.from("bob:second").toString("base64")}`;
const NO_TARGET = {
  x_display_kind: null,
  x_display: null,
  x_display_username: null,
  x_display_peer: null,
  x_display_reason: null,
};

let instance: Instance;
let ada: Client;
let number: number;

beforeAll(async () => {
  number = (await freeDisplay(new Set(), `configured ${process.pid}`)) ?? 0;
  const server = `Xvnc :${number} -rfbport ${5_900 + number} -localhost -SecurityTypes None -nolisten tcp -geometry 320x240`;
  instance = new Instance({
    displays: { geometry: "640x480" },
    processes: {
      clock: { command: "xclock -geometry 200x200+20+20", forward_x11: true },
      message: { command: ["xmessage", "-geometry", "+300+20", "hello from a process"], forward_x11: true },
      term: { command: "xterm -geometry 60x10+20+240 -e sh", forward_x11: true },
      early: { command: "xclock", forward_x11: true, autostart: true },
      again: { command: "xclock", forward_x11: true, restart: { policy: "on-failure", delay: "100ms" } },
      "cell/screen": { command: server, vnc: { display: number }, ready: { tcp: 5_900 + number } },
      "cell/shown": { command: "xclock", forward_x11_to_vnc: "cell/screen", depends_on: ["cell/screen"] },
    },
  });
  writeFileSync(instance.authFile, `${instance.user} ${instance.password}\nbob second\n`, { mode: 0o600 });
  await instance.mgr("up", "--detach");
  ada = await instance.connect();
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
});

const upserts = (client: Client, name: string, from = 0) =>
  client.frames.slice(from).flatMap(({ type, process }) => {
    const view = process as ProcessView | undefined;
    return type === "process_upsert" && view?.name === name ? [view] : [];
  });
const used = (client: Client, from = 0) => client.frames.slice(from).filter(({ type }) => type === "web_x_display_used");

async function start(client: Client, name: string): Promise<ProcessView> {
  const from = client.here;
  await client.command({ type: "start_process", name });
  await client.untilState(name, "started", from);
  return client.process(name);
}

async function stop(name: string): Promise<void> {
  const from = ada.here;
  await ada.command({ type: "stop_process", name });
  await ada.untilState(name, "stopped", from);
}

/** The windows on a private display, as an X client of its owner sees them. */
async function windows(display: string): Promise<string> {
  const folder = join(dirname(instance.lockOf("manager").socket), `x${display.slice(1)}`);
  const env = { ...process.env, DISPLAY: display, XAUTHORITY: join(folder, "Xauthority") };
  return (await run("xwininfo", ["-root", "-tree"], { env })).stdout;
}

test("a process that no web user has started is started without a display, and the log says why", async () => {
  await eventually("it has failed", async () => (await ada.process("early")).state === "error");
  expect(await ada.process("early")).toMatchObject(NO_TARGET);
  const { entries } = await ada.ask({ type: "request_logs", level: "warning" });
  const messages = (entries as { msg: string }[]).map(({ msg }) => msg);
  expect(messages).toContainEqual(expect.stringMatching(/process 'early' is started without an X display: .*start it from the page once/));
});

test("without a display of the manager, windows show on the private display of the user who starts the process", async () => {
  const second = await instance.connect();
  const focused = await instance.connect("?single_process=clock");
  const bob = await Client.open(`${instance.url.replace(/^http/, "ws")}/ws`, { authorization: BOB });
  const clock = await start(ada, "clock");
  const { web_x_display } = await ada.snapshot();
  const { display_name } = web_x_display as { display_name: string };
  expect(clock).toMatchObject({
    x_display_kind: "web",
    x_display: display_name,
    x_display_username: "ada",
    x_display_reason: "forward_x11_fallback",
    x_display_peer: expect.stringMatching(/^(127\.0\.0\.1|\[?::1\]?|.*127\.0\.0\.1):\d+$/),
  });
  await ada.until("the news for the client that started it", ({ type }) => type === "web_x_display_used");
  expect(used(ada)).toEqual([
    {
      type: "web_x_display_used",
      process: "clock",
      kind: "private",
      display: display_name,
      username: "ada",
      reason: "forward_x11_fallback",
    },
  ]);
  await eventually("its window is there", async () => (await windows(display_name)).includes("xclock"));
  await start(ada, "message");
  await eventually("the message is there", async () => (await windows(display_name)).includes("xmessage"));
  const viewer = await Viewer.open(instance.url, instance.basic);
  await eventually("the viewer sees them", async () => colorsOf(await viewer.screen()) > 2);
  await viewer.close();
  const from = ada.here;
  await stop("clock");
  const shown = upserts(ada, "clock", from);
  expect(shown.at(-1)?.pid).toBeNull();
  for (const each of shown) expect(each).toMatchObject(each.pid === null ? NO_TARGET : { x_display_kind: "web", x_display: display_name });
  for (const client of [second, focused, bob]) {
    await client.snapshot();
    expect(used(client)).toEqual([]);
    expect(client.problems).toEqual([]);
  }
  bob.ws.terminate();
});

test("a start of a running process changes neither its display nor that of its next restart", async () => {
  const bob = await Client.open(`${instance.url.replace(/^http/, "ws")}/ws`, { authorization: BOB });
  const { pid, x_display } = await start(ada, "again");
  expect(await bob.ask({ type: "start_process", name: "again" })).toMatchObject({ type: "ack" });
  const from = ada.here;
  process.kill(Number(pid), "SIGKILL");
  await ada.untilState("again", "backoff", from);
  await ada.untilState("again", "started", from);
  expect(await ada.process("again")).toMatchObject({ x_display, x_display_username: "ada", x_display_kind: "web" });
  await ada.ask({ type: "stop_process", name: "again" });
  await ada.untilState("again", "stopped", from);
  bob.ws.terminate();
});

test("text that is typed in the viewer arrives in an xterm", async () => {
  const { x_display } = await start(ada, "term");
  await eventually("its window is there", async () => (await windows(String(x_display))).includes("xterm"));
  const viewer = await Viewer.open(instance.url, instance.basic);
  await eventually("it has written the file", async () => {
    // Where its window will be: a click before it is there focuses nothing.
    viewer.click(120, 320);
    viewer.type("echo $((6*7)) >typed\n");
    await viewer.screen();
    return existsSync(join(instance.dir, "typed")) && readFileSync(join(instance.dir, "typed"), "utf8") === "42\n";
  });
  await viewer.close();
});

test("the next manager knows where the windows are shown", async () => {
  const before = await start(ada, "clock");
  instance.kill("manager");
  await ada.closed;
  await instance.mgr("up", "--detach");
  ada = await instance.connect();
  await eventually("it is adopted", async () => (await ada.process("clock")).state === "started");
  const { pid, x_display_kind, x_display, x_display_username, x_display_peer, x_display_reason, needs_restart } = before;
  expect(needs_restart).toBe(false);
  expect(await ada.process("clock")).toMatchObject({
    pid,
    x_display_kind,
    x_display,
    x_display_username,
    x_display_peer,
    x_display_reason,
    needs_restart: false,
  });
});

test("an automatic restart keeps the display of the last web user, and notifies no client again", async () => {
  const { pid, x_display } = await start(ada, "again");
  await ada.until("the first news", ({ type, process }) => type === "web_x_display_used" && process === "again");
  await eventually("its window is there", async () => (await windows(String(x_display))).includes("xclock"));
  const from = ada.here;
  process.kill(Number(pid), "SIGKILL");
  await ada.untilState("again", "backoff", from);
  await ada.untilState("again", "started", from);
  expect(await ada.process("again")).toMatchObject({ x_display, x_display_username: "ada", x_display_kind: "web" });
  expect(used(ada, from)).toEqual([]);
});

test("a process that another user starts shows on the display of that user", async () => {
  await stop("clock");
  const bob = await Client.open(`${instance.url.replace(/^http/, "ws")}/ws`, { authorization: BOB });
  const clock = await start(bob, "clock");
  expect(clock).toMatchObject({ x_display_kind: "web", x_display_username: "bob" });
  const own = ((await ada.snapshot()).web_x_display as { display_name: string }).display_name;
  expect(clock.x_display).not.toBe(own);
  await eventually("its window is there", async () => (await windows(String(clock.x_display))).includes("xclock"));
  await bob.until("the news", ({ type }) => type === "web_x_display_used");
  expect(used(bob)).toMatchObject([{ process: "clock", username: "bob", display: clock.x_display }]);
  expect(bob.problems).toEqual([]);
  bob.ws.terminate();
});

test("forward_x11_to_vnc shows windows on the display of another process, which is a session of its own", async () => {
  const shown = await start(ada, "cell/shown");
  expect(shown).toMatchObject({
    x_display_kind: "configured_vnc",
    x_display: `:${number}`,
    x_display_username: null,
    x_display_peer: null,
    x_display_reason: "forward_x11_to_vnc",
  });
  const info = await (await instance.fetch("/mgr/vnc/info?session=cell/screen")).json();
  expect(info).toMatchObject({ ok: true, kind: "configured", ready: true, vnc_display: number, vnc_port: 5_900 + number });
  const viewer = await Viewer.open(instance.url, instance.basic, "?session=cell/screen");
  await eventually("the viewer sees the clock", async () => colorsOf(await viewer.screen()) > 2);
  await viewer.close();
  await stop("cell/screen");
  expect(await ada.process("cell/shown")).toMatchObject(NO_TARGET);
  expect((await instance.fetch("/mgr/vnc/info?session=cell/screen")).status).toBe(409);
});

test("a manager with a display of its own shows windows there", async () => {
  const { x_display } = await ada.process("message");
  const folder = join(dirname(instance.lockOf("manager").socket), `x${String(x_display).slice(1)}`);
  instance.kill("manager");
  await ada.closed;
  Object.assign(instance.extra, { DISPLAY: x_display, XAUTHORITY: join(folder, "Xauthority") });
  await instance.mgr("up", "--detach");
  ada = await instance.connect();
  await eventually("early can be started", async () => (await ada.process("early")).state === "error");
  const early = await start(ada, "early");
  expect(early).toMatchObject({
    x_display_kind: "manager",
    x_display,
    x_display_username: null,
    x_display_peer: null,
    x_display_reason: "forward_x11",
  });
  expect(used(ada)).toEqual([]);
});
