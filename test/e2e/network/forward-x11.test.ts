import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freeDisplay } from "../../../src/features/displays/host/display-numbers.ts";
import { colorsOf, Viewer } from "../displays/rfb.ts";
import { XServer } from "../displays/x-server.ts";
import { says } from "../support/children.ts";
import type { Client, ProcessView } from "../support/client.ts";
import { Fleet } from "../support/fleet.ts";
import { PROGRAM } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const NO_TARGET = {
  x_display_kind: null,
  x_display: null,
  x_display_username: null,
  x_display_peer: null,
  x_display_reason: null,
};
/** Lives without an X connection; other programs of its machine use its display. */
const HOLDER = 'echo "at $DISPLAY with $XAUTHORITY."; exec sleep 100000';

let fleet: Fleet;
let ada: Client;
let number: number;

beforeAll(async () => {
  number = (await freeDisplay(new Set(), `far ${process.pid}`)) ?? 0;
  const port = 5_900 + number;
  const server = `Xvnc :${number} -rfbport ${port} -localhost -SecurityTypes None -nolisten tcp -geometry 320x240`;
  fleet = await Fleet.up({
    hosts: ["r1", "r2"],
    processes: {
      "far/clock": { command: "xclock -geometry 200x200+20+20", node: "r1", forward_x11: true },
      "far/holder": { command: ["sh", "-c", HOLDER], node: "r1", forward_x11: true },
      "far/desk": { command: "xclock -geometry 200x200+20+20", node: "r1", forward_x11_to_gui: true },
      "cell/screen": { command: server, node: "r1", vnc: { display: number }, ready: { tcp: port } },
      "cell/near": { command: "xclock -geometry 80x80+0+0", node: "r1", forward_x11_to_vnc: "cell/screen" },
      "cell/far": { command: "xclock -geometry 80x80+100+0", node: "r2", forward_x11_to_vnc: "cell/screen" },
      "cell/here": { command: "xclock -geometry 80x80+200+0", forward_x11_to_vnc: "cell/screen" },
    },
  });
  ada = await fleet.connect();
  for (const host of ["r1", "r2"]) await isReady(host, true);
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
});

/** What the manager says of a host now. */
const isReady = (host: string, ready: boolean) =>
  eventually(`${host} is ${ready ? "" : "not "}ready`, async () => {
    const hosts = (await ada.snapshot()).host_list as { name: string; daemon_ready: boolean }[];
    return hosts.find(({ name }) => name === host)?.daemon_ready === ready;
  });

async function start(name: string, state = "started"): Promise<ProcessView> {
  const from = ada.here;
  await ada.command({ type: "start_process", name });
  await ada.untilState(name, state, from);
  return ada.process(name);
}

async function stop(name: string): Promise<void> {
  const from = ada.here;
  await ada.command({ type: "stop_process", name });
  await ada.untilState(name, "stopped", from);
}

/** DISPLAY and XAUTHORITY of the holder. */
async function environment(): Promise<{ display: string; authority: string }> {
  return eventually("the holder has said where its display is", async () => {
    const answer = await ada.ask({ type: "get_process_output", name: "far/holder" });
    const [, display, authority] = /at (\S+) with (\S+)\./.exec(JSON.stringify(answer)) ?? [];
    return display === undefined || authority === undefined ? null : { display, authority };
  });
}

/** A program on r1 with the display of the holder: what it prints, or its error. */
async function onR1(program: string, authority?: string): Promise<string> {
  const own = await environment();
  const variables = [`DISPLAY=${own.display}`, `XAUTHORITY=${authority ?? own.authority}`];
  return fleet.exec("r1", "sh", "-c", `${variables.join(" ")} ${program} 2>&1 || true`);
}

test("a process of another host shows on the private display of the user who starts it", async () => {
  const clock = await start("far/clock");
  const { web_x_display } = await ada.snapshot();
  const { display_name } = web_x_display as { display_name: string };
  expect(clock).toMatchObject({
    host: "r1",
    x_display_kind: "web",
    x_display: display_name,
    x_display_username: "ada",
    x_display_reason: "forward_x11_fallback",
  });
  expect(clock.x_display_peer).toMatch(/:\d+$/);
  await ada.until("the news", ({ type, process, display }) => {
    return type === "web_x_display_used" && process === "far/clock" && display === display_name;
  });
  const holder = await start("far/holder");
  expect(holder).toMatchObject({ x_display_kind: "web", x_display: display_name });
  expect((await environment()).display).toMatch(/^127\.0\.0\.1:\d+$/);
  await eventually("its window is there", async () => (await onR1("xwininfo -root -tree")).includes("xclock"));
  const viewer = await Viewer.open(fleet.url, fleet.basic);
  await eventually("the viewer sees it", async () => colorsOf(await viewer.screen()) > 2);
  await viewer.close();
});

test("a program of that host without the cookie is refused, with a reason", async () => {
  expect(await onR1("xdpyinfo", "/dev/null")).toMatch(/the X11 cookie is missing or wrong/);
  expect(await onR1("xdpyinfo")).toMatch(/version number: +11\.0/);
});

test("an X client that ends changes nothing else, and the display fields of an ended process are null", async () => {
  const from = ada.here;
  await stop("far/clock");
  const last = ada.frames.slice(from).findLast(({ type, process }) => {
    return type === "process_upsert" && (process as ProcessView).name === "far/clock";
  });
  expect(last?.process).toMatchObject({ pid: null, ...NO_TARGET });
  await eventually("its window is gone", async () => !(await onR1("xwininfo -root -tree")).includes("xclock"));
});

test("a process of another host shows on the desktop of the user who starts it, on a third machine", async () => {
  await using desktop = await XServer.start(fleet.dir);
  const password = join(fleet.dir, "password");
  writeFileSync(password, "correct horse\n", { mode: 0o600 });
  const variables = Object.entries(desktop.environment).map(([name, value]) => `${name}=${value}`);
  const pidFile = join(fleet.dir, "gui.pid");
  const begin = ["sh", "-c", `echo $$ >${pidFile}; exec env "$@"`, "sh", ...variables];
  const login = ["--url", "http://10.77.0.1:8130", "--user", "ada", "--password-file", password];
  const gui = fleet.run("r2", [...begin, process.execPath, PROGRAM, "gui", ...login]);
  await says(gui, /show on display/);
  const clock = await start("far/desk");
  expect(clock).toMatchObject({
    host: "r1",
    x_display_kind: "gui",
    x_display: desktop.environment.DISPLAY,
    x_display_username: "ada",
    x_display_peer: expect.stringMatching(/^10\.77\.0\.\d+:\d+$/),
    x_display_reason: "forward_x11_to_gui",
  });
  await eventually("its window is there", async () => (await desktop.windows()).includes('("xclock" "XClock")'));
  const from = ada.here;
  // By the pid that it has on its machine.
  await fleet.exec("r2", "kill", "-9", readFileSync(pidFile, "utf8").trim());
  await ada.untilState("far/desk", "error", from);
  expect(await ada.process("far/desk")).toMatchObject(NO_TARGET);
  await eventually("its window is gone", async () => !(await desktop.windows()).includes('("xclock" "XClock")'));
});

test("the next manager knows the display, and connects new clients", async () => {
  const before = await ada.process("far/holder");
  await fleet.killManager();
  await fleet.startManager();
  ada = await fleet.connect();
  await isReady("r1", true);
  await eventually("its display is adopted", async () => {
    const { web_x_display } = await ada.snapshot();
    return (web_x_display as { ready: boolean }).ready;
  });
  const { pid, x_display_kind, x_display, x_display_username, x_display_peer, x_display_reason } = before;
  await eventually("it is adopted", async () => (await ada.process("far/holder")).state === "started");
  expect(await ada.process("far/holder")).toMatchObject({
    pid,
    x_display_kind,
    x_display,
    x_display_username,
    x_display_peer,
    x_display_reason,
  });
  expect(await onR1("xdpyinfo")).toMatch(/version number: +11\.0/);
});

test("while a link is cut, new clients are refused with a reason; they are connected when it is restored", async () => {
  const known = await environment();
  fleet.link("r1", "cut");
  await isReady("r1", false);
  const program = `DISPLAY=${known.display} XAUTHORITY=${known.authority} xdpyinfo 2>&1 || true`;
  expect(await fleet.exec("r1", "sh", "-c", program)).toMatch(
    /no manager is connected to this host|the link to the manager was lost|the manager did not take/,
  );
  fleet.link("r1", "good");
  await isReady("r1", true);
  await eventually("its process is known again", async () => (await ada.process("far/holder")).state === "started");
  expect(await ada.process("far/holder")).toMatchObject({ x_display_kind: "web" });
  // The connection from before the cut may carry a session until the host has made another one: clients that wait at that moment are refused.
  await eventually("a new client is connected", async () => /version number: +11\.0/.test(await onR1("xdpyinfo")));
});

test("a configured session of another host is seen, and processes of all hosts show on it", async () => {
  await start("cell/screen", "ready");
  const info = JSON.parse(String(await fleet.get("/mgr/vnc/info?session=cell/screen")));
  expect(info).toMatchObject({ ok: true, kind: "configured", ready: true, vnc_display: number, node: "r1" });
  const viewer = await Viewer.open(fleet.url, fleet.basic, "?session=cell/screen");
  expect([viewer.width, viewer.height]).toEqual([320, 240]);
  for (const [name, host] of [
    ["cell/near", "r1"],
    ["cell/far", "r2"],
    ["cell/here", "manager"],
  ] as const) {
    const before = (await viewer.screen()).pixels;
    const shown = await start(name);
    expect(shown).toMatchObject({
      x_display_kind: "configured_vnc",
      // A display of another node is named with its node.
      x_display: name === "cell/near" ? `:${number}` : `r1:${number}`,
      x_display_username: null,
      x_display_peer: null,
      x_display_reason: "forward_x11_to_vnc",
    });
    await eventually(`the window of ${name} (${host}) is seen`, async () => {
      const { pixels, width } = await viewer.screen();
      // The part of the screen where its clock is.
      const left = name === "cell/near" ? 0 : name === "cell/far" ? 100 : 200;
      for (let row = 0; row < 80; row++) {
        const at = (row * width + left) * 4;
        if (!pixels.subarray(at, at + 320).equals(before.subarray(at, at + 320))) return true;
      }
      return false;
    });
  }
  await viewer.close();
  await stop("cell/screen");
  for (const name of ["cell/near", "cell/far", "cell/here"])
    await eventually(`${name} has lost its display`, async () => (await ada.process(name)).pid === null);
  expect(await ada.process("cell/far")).toMatchObject(NO_TARGET);
});
