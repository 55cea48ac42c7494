import { readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Client, ProcessView } from "../support/client.ts";
import { type Foreground, Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";
import { XServer } from "./x-server.ts";

const NO_TARGET = {
  x_display_kind: null,
  x_display: null,
  x_display_username: null,
  x_display_peer: null,
  x_display_reason: null,
};
const PEER = /^\S+:\d+$/;

let instance: Instance;
let desktop: XServer;
let ada: Client;

beforeAll(async () => {
  instance = new Instance({
    processes: {
      clock: { command: "xclock -geometry 200x200+20+20", forward_x11_to_gui: true },
      // Its windows come and go; the process stays.
      again: { command: "while :; do xclock -geometry 100x100+300+20; sleep 0.2; done", forward_x11_to_gui: true },
      tree: { command: "xwininfo -root -tree; exec sleep 1000", forward_x11_to_gui: true },
    },
  });
  writeFileSync(join(instance.dir, "password"), `${instance.password}\n`, { mode: 0o600 });
  desktop = await XServer.start(instance.dir);
  await instance.mgr("up", "--detach");
  ada = await instance.connect();
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

const guis: Foreground[] = [];
afterEach(async () => {
  for (const { child, ended } of guis.splice(0)) {
    child.kill("SIGKILL");
    await ended;
  }
});

/** `mgr gui` on the desktop, once it is registered. */
async function gui(...flags: string[]): Promise<Foreground> {
  Object.assign(instance.extra, desktop.environment);
  const foreground = instance.start("gui", ...flags);
  for (const name of Object.keys(desktop.environment)) delete instance.extra[name];
  guis.push(foreground);
  await said(foreground, "show on display");
  return foreground;
}
const asAda = () => gui("--url", instance.url, "--user", "ada", "--password-file", join(instance.dir, "password"));

const said = (foreground: Foreground, words: string, times = 1) =>
  eventually(`it says ${words}; ${foreground.stderr}`, () => foreground.stdout.split(words).length > times);

async function start(name: string, from = ada.here): Promise<ProcessView> {
  await ada.command({ type: "start_process", name });
  await ada.untilState(name, "started", from);
  return ada.process(name);
}

async function stop(name: string): Promise<void> {
  const from = ada.here;
  await ada.command({ type: "stop_process", name });
  await ada.untilState(name, "stopped", from);
}

const clocks = async () => (await desktop.windows()).split('("xclock" "XClock")').length - 1;

test("mgr gui reports a missing display, and one that does not exist or refuses it", async () => {
  const none = await instance.run("gui", "-c", instance.config);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("there is no X display: DISPLAY is not set")]);
  const wrong = await instance.run("gui", "-c", instance.config, "--display", "localhost:59000");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("X display 'localhost:59000' cannot be reached")]);
  instance.extra.XAUTHORITY = instance.config;
  const refused = await instance.run("gui", "-c", instance.config, "--display", desktop.environment.DISPLAY);
  delete instance.extra.XAUTHORITY;
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/refuses the connection: .*There is no cookie for it in/)]);
});

test("a process shows its windows on the desktop of the user who starts it, and its host never has the cookie", async () => {
  const foreground = await asAda();
  const clock = await start("clock");
  const [shown] = await eventually("its window is there", async () => (await desktop.windows()).match(/"xclock".*200x200/));
  expect(shown).toMatch(/xclock/);
  expect(clock).toMatchObject({
    x_display_kind: "gui",
    x_display: desktop.environment.DISPLAY,
    x_display_username: "ada",
    x_display_peer: expect.stringMatching(PEER),
    x_display_reason: "forward_x11_to_gui",
  });
  await said(foreground, "process 'clock' of host");
  const variables = new Map(
    readFileSync(`/proc/${clock.pid}/environ`, "latin1")
      .split("\0")
      .map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
  );
  expect(variables.get("DISPLAY")).toMatch(/^127\.0\.0\.1:\d+$/);
  const cookie = readFileSync(desktop.environment.XAUTHORITY).subarray(-16);
  expect(readFileSync(variables.get("XAUTHORITY") ?? "").includes(cookie)).toBe(false);
  const from = ada.here;
  await stop("clock");
  expect(await ada.process("clock")).toMatchObject(NO_TARGET);
  const upserts = ada.frames.slice(from).flatMap(({ type, process }) => (type === "process_upsert" ? [process as ProcessView] : []));
  for (const each of upserts) expect(each).toMatchObject(each.pid === null ? NO_TARGET : { x_display_kind: "gui" });
  await said(foreground, "has disconnected");
  await eventually("its window is gone", async () => (await clocks()) === 0);
});

test("when mgr gui is killed, X clients end; a process that continues shows its windows on the next desktop of its user", async () => {
  const first = await asAda();
  await start("clock");
  const before = await start("again");
  await eventually("both windows are there", async () => (await clocks()) === 2);
  const from = ada.here;
  first.child.kill("SIGKILL");
  await ada.untilState("clock", "error", from);
  expect(await ada.process("clock")).toMatchObject(NO_TARGET);
  await eventually("their windows are gone", async () => (await clocks()) === 0);
  await eventually("its desktop is gone", async () => (await ada.process("again")).x_display_peer === null);
  expect(await ada.process("again")).toMatchObject({ pid: before.pid, x_display_kind: "gui", x_display_username: "ada" });
  await asAda();
  await eventually("its window is there again", async () => (await clocks()) === 1);
  const after = await ada.process("again");
  expect(after).toMatchObject({ pid: before.pid, x_display_peer: expect.stringMatching(PEER) });
  expect(after.x_display_peer).not.toBe(before.x_display_peer);
  await stop("again");
});

test("mgr gui reconnects to the next manager, which knows the display of processes that continue to run", async () => {
  // The port of the next manager is another one, which the configuration's state folder tells.
  const foreground = await gui("-c", instance.config, "--user", "ada");
  const { pid, x_display_peer } = await start("again");
  await eventually("its window is there", async () => (await clocks()) === 1);
  instance.kill("manager");
  await ada.closed;
  await said(foreground, "reconnecting");
  expect(foreground.stdout).toContain("the connection to the manager was lost");
  await instance.mgr("up", "--detach");
  ada = await instance.connect();
  await eventually("it is adopted", async () => (await ada.process("again")).state === "started");
  await said(foreground, "show on display", 2);
  await eventually("its window is there again", async () => (await clocks()) === 1);
  const after = await ada.process("again");
  expect(after).toMatchObject({ pid, x_display_kind: "gui", x_display_peer: expect.stringMatching(PEER) });
  expect(after.x_display_peer).not.toBe(x_display_peer);
  foreground.child.kill("SIGINT");
  expect(await foreground.ended).toMatchObject({ code: 0, stderr: "" });
  await stop("again");
});

test("over the local socket, the desktop is for processes that the same system user starts with mgr start", async () => {
  const foreground = await gui("-c", instance.config);
  const outcome = await instance.mgr("start", "tree");
  expect(outcome.code).toBe(0);
  expect(await ada.process("tree")).toMatchObject({
    x_display_kind: "gui",
    x_display: desktop.environment.DISPLAY,
    x_display_username: `local:${userInfo().username}`,
    x_display_peer: null,
  });
  await said(foreground, "process 'tree' of host");
  await stop("tree");
});

test("while no desktop is connected, windows show on the private display of the web user", async () => {
  const clock = await start("clock");
  expect(clock).toMatchObject({ x_display_kind: "web", x_display_username: "ada", x_display_reason: "forward_x11_fallback" });
  await ada.until("the news", ({ type, process }) => type === "web_x_display_used" && process === "clock");
  await stop("clock");
});
