import { execFile } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conforms } from "../../contract/check.ts";
import { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { eventually } from "../support/wait.ts";
import { Viewer } from "./rfb.ts";

const run = promisify(execFile);
const BOB = `Basic ${Buffer.from("bob:second").toString("base64")}`;

interface Info {
  readonly ok: boolean;
  readonly ready: boolean;
  readonly display: number;
  readonly display_name: string;
  readonly process: string;
  readonly [field: string]: unknown;
}

let instance: Instance;
let ada: Client;

beforeAll(async () => {
  instance = new Instance({ displays: { geometry: "640x480" }, processes: { idle: { command: "sleep 100000" } } });
  writeFileSync(instance.authFile, `${instance.user} ${instance.password}\nbob second\n`, { mode: 0o600 });
  await instance.mgr("up", "--detach");
  ada = await instance.connect();
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
});

async function info(authorization = instance.basic, query = ""): Promise<Info> {
  const response = await instance.fetch(`/mgr/vnc/info${query}`, { headers: { authorization } });
  return (await response.json()) as Info;
}

async function ready(authorization = instance.basic): Promise<Info> {
  return eventually("the private display is ready", async () => {
    const answer = await info(authorization);
    expect(answer).toMatchObject({ ok: true });
    return answer.ready ? answer : null;
  });
}

const view = (authorization = instance.basic, query = "") => Viewer.open(instance.url, authorization, query);
const folderOf = ({ display }: Info) => join(dirname(instance.lockOf("manager").socket), `x${display}`);
const xdpyinfo = (display: string, authority: string) =>
  run("xdpyinfo", [], { env: { ...process.env, DISPLAY: display, XAUTHORITY: authority } });

test("a private display is started on the first request, and is ready later", async () => {
  const before = await ada.snapshot();
  expect(before.web_x_display).toEqual({ known: false, running: false, ready: false, username: "ada", display_name: "", process: "" });
  expect(before.vnc_sessions).toEqual([]);
  const polled: Info[] = [];
  const last = await eventually("it is ready", async () => {
    polled.push(await info());
    return polled.at(-1)?.ready ? polled.at(-1) : null;
  });
  const [first] = polled;
  expect(first).toMatchObject({ ok: true, ready: false, username: "ada", process: "displays/ada", websocket_path: "/mgr/vnc/ws" });
  expect(conforms("private VNC info", first)).toEqual([]);
  const { display, ...rest } = last;
  expect(rest).toMatchObject({ display_name: `:${display}`, vnc_port: 5_900 + display, process_state: "ready" });
  const { web_x_display, vnc_sessions } = await ada.snapshot();
  expect(web_x_display).toEqual({
    known: true,
    running: true,
    ready: true,
    username: "ada",
    display_name: `:${display}`,
    process: "displays/ada",
  });
  expect(vnc_sessions).toMatchObject([{ kind: "private", session_id: "", display_name: `:${display}`, process: "displays/ada" }]);
});

test("the folder, cookie and socket of a display are for its owner only, and X clients need the cookie", async () => {
  const answer = await ready();
  const folder = folderOf(answer);
  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
  expect([modeOf(folder), modeOf(join(folder, "Xauthority")), modeOf(join(folder, "rfb.sock"))]).toEqual(["700", "600", "600"]);
  expect((await xdpyinfo(answer.display_name, join(folder, "Xauthority"))).stdout).toContain(`name of display:    ${answer.display_name}`);
  await expect(xdpyinfo(answer.display_name, "/dev/null")).rejects.toThrow(/Authorization required|unable to open display/);
});

test("a viewer sees the display of its user", async () => {
  await ready();
  const viewer = await view();
  expect(await viewer.screen()).toMatchObject({ name: expect.stringContaining("ada"), width: 640, height: 480 });
  await viewer.close();
});

test("a window manager runs on a display, and is started again when it ends", async () => {
  const answer = await ready();
  const windowManager = () => windowManagerOf(answer);
  const { pid: before } = await eventually("it is there", async () => {
    const now = await windowManager();
    return now?.name === "Openbox" ? now : null;
  });
  expect(before).toBeGreaterThan(0);
  process.kill(before, "SIGKILL");
  await eventually("there is another one", async () => {
    const now = await windowManager();
    return now?.name === "Openbox" && now.pid !== before;
  });
});

/** By the window that a window manager names on the root window, as the specification of the desktop demands; the pid is openbox's own. */
async function windowManagerOf(answer: Info): Promise<{ name: string; pid: number } | null> {
  const env = { ...process.env, DISPLAY: answer.display_name, XAUTHORITY: join(folderOf(answer), "Xauthority") };
  // Fails for a window that is gone.
  const xprop = async (...words: string[]) => (await run("xprop", words, { env }).catch(() => ({ stdout: "" }))).stdout;
  const root = await xprop("-root", "_NET_SUPPORTING_WM_CHECK", "_OPENBOX_PID");
  const window = /window id # (0x[0-9a-f]+)/.exec(root)?.[1];
  const pid = /_OPENBOX_PID\(CARDINAL\) = (\d+)/.exec(root)?.[1];
  if (window === undefined || pid === undefined) return null;
  const name = /"(.*)"/.exec(await xprop("-id", window, "_NET_WM_NAME"))?.[1];
  return name === undefined ? null : { name, pid: Number(pid) };
}

test("no route leads a user to the display of another one", async () => {
  const own = await ready();
  await expect(view(BOB)).rejects.toThrow("refused with 409");
  const other = await ready(BOB);
  expect(other).toMatchObject({ username: "bob", process: "displays/bob" });
  expect(other.display).not.toBe(own.display);
  // Parameters that do not exist, of each kind that an address of another user could have.
  const { pid } = await ada.process("displays/ada");
  const foreign = { user: "ada", username: "ada", display: own.display, display_name: own.display_name, process: own.process, pid };
  const hidden = { host: "localhost", port: 5_900 + own.display, vnc_port: 5_900 + own.display, path: join(folderOf(own), "rfb.sock") };
  const queries = Object.entries({ ...foreign, ...hidden }).map(([name, value]) => `?${name}=${encodeURIComponent(String(value))}`);
  for (const query of ["", "?session=", "?SESSION=displays/ada", ...queries]) {
    expect(await info(BOB, query), query).toMatchObject({ username: "bob", display: other.display });
    const viewer = await view(BOB, query);
    expect(viewer.name, query).toContain("bob");
    await viewer.close();
  }
  const sessions = ["displays/ada", "displays/bob", "ada", own.display_name, String(own.display), "idle", "../ada", "displays%2Fada"];
  for (const session of [...sessions, "displays/ada\0", " displays/ada", "__proto__", join(folderOf(own), "rfb.sock")]) {
    const query = `?session=${encodeURIComponent(session)}`;
    const refused = await instance.fetch(`/mgr/vnc/info${query}`, { headers: { authorization: BOB } });
    expect([refused.status, await refused.json()], query).toMatchObject([404, { ok: false, kind: "configured" }]);
    await expect(view(BOB, query), query).rejects.toThrow("refused with 404");
  }
  for (const query of ["?session=&session=displays/ada", "?session=displays/ada&session="]) {
    const refused = await info(BOB, query);
    expect(refused.ok ? refused.username : "refused", query).not.toBe("ada");
    const viewer = await view(BOB, query).catch((error: Error) => error);
    expect(viewer instanceof Error ? viewer.message : viewer.name, query).toMatch(/bob|refused with 404/);
    if (!(viewer instanceof Error)) await viewer.close();
  }
  // Addresses below or beside the route, and headers of proxies, name no user either.
  for (const path of ["/mgr/vnc/ws/ada", "/mgr/vnc/ws/displays/ada", "/mgr/vnc/info/../ws", "/mgr/vnc/displays/ada", "/displays/ada"]) {
    const { status } = await instance.fetch(path, { headers: { authorization: BOB } });
    expect(status, path).toBeGreaterThanOrEqual(400);
  }
  const headers = { authorization: BOB, "x-forwarded-user": "ada", "x-remote-user": "ada", "remote-user": "ada", from: "ada" };
  expect(await (await instance.fetch("/mgr/vnc/info", { headers })).json()).toMatchObject({ username: "bob" });
  // The number of a display is no secret, its cookie is.
  await expect(xdpyinfo(own.display_name, join(folderOf(other), "Xauthority"))).rejects.toThrow();
  const snapshot = await Promise.all([ada.snapshot(), connectAs(BOB)]);
  expect(snapshot.map(({ web_x_display }) => web_x_display)).toMatchObject([{ process: "displays/ada" }, { process: "displays/bob" }]);
  expect(snapshot.map(({ vnc_sessions }) => (vnc_sessions as { process: string }[]).map((each) => each.process))).toEqual([
    ["displays/ada"],
    ["displays/bob"],
  ]);
});

async function connectAs(authorization: string) {
  const client = await Client.open(`${instance.url.replace(/^http/, "ws")}/ws`, { authorization });
  const snapshot = await client.snapshot();
  client.ws.terminate();
  expect(client.problems).toEqual([]);
  return snapshot;
}

test("requests without a login, and from pages of other sites, start nothing", async () => {
  const anonymous = await fetch(new URL("/mgr/vnc/info", instance.url));
  expect(anonymous.status).toBe(401);
  const foreign = await instance.fetch("/mgr/vnc/info", { headers: { "sec-fetch-site": "cross-site" } });
  expect(foreign.status).toBe(403);
  await expect(Viewer.open(instance.url, "Basic eDp5")).rejects.toThrow("refused with 401");
});

test("data for a viewer counts as web traffic", async () => {
  await ready();
  await ada.ask({ type: "request_network_stats", sample_seconds: 1, sample_mode: "previous" });
  const viewer = await view();
  for (let round = 0; round < 4; round++) await viewer.screen();
  // Requests within 200 ms share a sample: the next one has all bytes.
  const bytes = await eventually("a sample with traffic of the viewer", async () => {
    const answer = await ada.ask({ type: "request_network_stats", sample_seconds: 1, sample_mode: "previous" });
    const { links, sample_seconds } = answer.stats as {
      sample_seconds: number;
      links: { children: { kind: string; name: string; bytes_s: number }[] }[];
    };
    const rates = links.flatMap(({ children }) => children).filter(({ kind, name }) => kind === "web" && name === "vnc");
    const sum = Math.max(0, ...rates.map(({ bytes_s }) => bytes_s)) * sample_seconds;
    // An earlier sample has the ends of earlier viewers only.
    return sum > viewer.received / 2 ? sum : null;
  });
  // Frames have headers of up to 10 bytes.
  expect(Math.abs(bytes / viewer.received - 1)).toBeLessThan(0.01);
  await viewer.close();
});

test("kill -9 of a display disconnects its viewers, is shown, and it is started again", async () => {
  await ready();
  const viewer = await view();
  const { pid } = await ada.process("displays/ada");
  const from = ada.here;
  process.kill(Number(pid), "SIGKILL");
  expect([1_000, 1_011]).toContain((await viewer.closed).code);
  await ada.untilState("displays/ada", "backoff", from);
  await ready();
  expect((await ada.process("displays/ada")).pid).not.toBe(pid);
  await (await view()).close();
});

test("a display survives the manager: the next one adopts it with its windows", async () => {
  const answer = await ready();
  const { pid } = await ada.process("displays/ada");
  const viewer = await view();
  instance.kill("manager");
  await ada.closed;
  await viewer.closed;
  expect(isAlive(Number(pid))).toBe(true);
  await instance.mgr("up", "--detach");
  ada = await instance.connect();
  await eventually("it is adopted", async () => (await ada.process("displays/ada")).state === "ready");
  expect(await ada.process("displays/ada")).toMatchObject({ pid });
  expect(await ready()).toMatchObject({ display: answer.display });
  await (await view()).close();
});

test("a display that is stopped by request stays stopped until the next request", async () => {
  await ready();
  const from = ada.here;
  await ada.command({ type: "stop_process", name: "displays/ada" });
  await ada.untilState("displays/ada", "stopped", from);
  expect((await ada.snapshot()).web_x_display).toMatchObject({ known: true, running: false, ready: false });
  await expect(view()).rejects.toThrow("refused with 409");
  expect(await info()).toMatchObject({ ok: true, ready: false });
  await ready();
});
