import { connect } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LIFETIME_MS } from "../../src/http/auth/login-sessions.ts";
import { BAD, basic, cookieOf, GOOD, PASSWORD, Rig, raw, readUntil, USER, upgradeRequest } from "./rig.ts";

const FOREIGN_ORIGIN = "http://evil.example";
const FOREIGN_HOST = "evil.example";

/** Every route: what a good request to it answers. */
const ROUTES = [
  { method: "GET", path: "/", good: 200 },
  { method: "HEAD", path: "/", good: 200 },
  { method: "GET", path: "/icon.svg", good: 200 },
  { method: "GET", path: "/assets/index-abc.js", good: 200 },
  { method: "GET", path: "/assets/none.js", good: 404 },
  { method: "GET", path: "/mgr/log?raw", good: 200 },
  { method: "HEAD", path: "/mgr/log?raw&follow", good: 200 },
  { method: "GET", path: "/ws", good: 426 },
  { method: "GET", path: "/mgr/metrics", good: 200 },
  { method: "GET", path: "/mgr/names?kind=process", good: 200 },
  { method: "GET", path: "/mgr/names", good: 400 },
  { method: "GET", path: "/mgr/schema", good: 200 },
  { method: "HEAD", path: "/save-all", good: 200 },
  { method: "GET", path: "/mgr/vnc/info", good: 200 },
  { method: "GET", path: "/nowhere", good: 404 },
  { method: "DELETE", path: "/", good: 405 },
  { method: "POST", path: "/save-all", good: 405 },
  { method: "GET", path: "/mgr/logout", good: 405 },
  // The last one: it ends the session.
  { method: "POST", path: "/mgr/logout", good: 200 },
];
const UPGRADES = [
  { path: "/ws", good: 101 },
  { path: "/ws?single_process=sim/world", good: 101 },
  { path: "/ws?single_process=nobody", good: 404 },
  { path: "/ws?single_process=sim/world&log_only=1", good: 400 },
  { path: "/mgr/vnc/ws", good: 101 },
  { path: "/mgr/vnc/ws?session=none", good: 404 },
  { path: "/mgr/gui/ws?display=:0", good: 101 },
  { path: "/mgr/gui/ws?connection=none", good: 404 },
  { path: "/nowhere", good: 404 },
];

type Headers = Readonly<Record<string, string>>;

/** Who comes, with what, and what everybody of them gets; null: what is good. */
const VISITORS: readonly { who: string; headers: (rig: Rig) => Headers | Promise<Headers>; status: number | null }[] = [
  { who: "nobody", headers: () => ({}), status: 401 },
  { who: "a wrong password", headers: () => ({ authorization: BAD }), status: 401 },
  { who: "an unknown user", headers: () => ({ authorization: basic("eve", PASSWORD) }), status: 401 },
  { who: "an unknown cookie", headers: () => ({ cookie: `mgr_web_session=${"x".repeat(43)}` }), status: 401 },
  { who: "an unknown token", headers: () => ({ authorization: "Bearer unknown" }), status: 401 },
  { who: "an expired session", headers: expired, status: 401 },
  { who: "a session that logged out", headers: loggedOut, status: 401 },
  { who: "a session whose password changed", headers: passwordChanged, status: 401 },
  { who: "a good session at a manager whose auth file is open to others", headers: authFileOpened, status: 403 },
  { who: "a foreign origin", headers: () => ({ authorization: GOOD, origin: FOREIGN_ORIGIN }), status: 403 },
  { who: "an opaque origin", headers: () => ({ authorization: GOOD, origin: "null" }), status: 403 },
  { who: "a foreign host", headers: () => ({ authorization: GOOD, host: FOREIGN_HOST }), status: 403 },
  {
    who: "a foreign host with its own origin",
    headers: () => ({ authorization: GOOD, host: FOREIGN_HOST, origin: FOREIGN_ORIGIN }),
    status: 403,
  },
  {
    who: "a foreign origin with a good session",
    headers: async (rig) => ({ cookie: await rig.cookie(), origin: FOREIGN_ORIGIN }),
    status: 403,
  },
  { who: "a good password", headers: () => ({ authorization: GOOD }), status: null },
  { who: "a good session", headers: async (rig) => ({ cookie: await rig.cookie() }), status: null },
];

async function expired(rig: Rig): Promise<Headers> {
  const now = Date.now();
  // Date alone: the server's timers go on.
  vi.useFakeTimers({ now: now - LIFETIME_MS - 1_000, toFake: ["Date"] });
  const cookie = await rig.cookie();
  vi.setSystemTime(now);
  return { cookie };
}

async function loggedOut(rig: Rig): Promise<Headers> {
  const cookie = await rig.cookie();
  const response = await rig.get("/mgr/logout", { cookie }, { method: "POST" });
  expect(cookieOf(response.headers.get("set-cookie"))).toBe("mgr_web_session=");
  return { cookie };
}

async function passwordChanged(rig: Rig): Promise<Headers> {
  const cookie = await rig.cookie();
  rig.writeAuth(`${USER} another one\n`);
  return { cookie };
}

async function authFileOpened(rig: Rig): Promise<Headers> {
  const cookie = await rig.cookie();
  rig.writeAuth(`${USER} ${PASSWORD}\n`, 0o644);
  return { cookie };
}

afterEach(() => void vi.useRealTimers());

/** A request by hand, on a connection of its own: fetch would not let a test choose Host. */
async function status(rig: Rig, method: string, path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const all = { host: rig.host, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = await raw(rig.server.port, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return { status: Number(text.split(" ")[1]), text };
}

describe("every route and upgrade passes the same checks", () => {
  test.each(VISITORS)("routes, for $who", async ({ headers, status: expected }) => {
    await using rig = await Rig.start();
    const sent = await headers(rig);
    for (const route of ROUTES) {
      const answer = await status(rig, route.method, route.path, sent);
      expect(answer.status, `${route.method} ${route.path}`).toBe(expected ?? route.good);
      expect(answer.text).toMatch(/^X-Content-Type-Options: nosniff\r$/im);
      expect(answer.text).toMatch(/^Content-Security-Policy: .*frame-ancestors 'none'/im);
      if (answer.status >= 400) expect(answer.text).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/im);
      expect(/^WWW-Authenticate: Basic realm="mgr", charset="UTF-8"\r$/im.test(answer.text)).toBe(answer.status === 401);
    }
  });

  test.each(VISITORS)("upgrades, for $who", async ({ headers, status: expected }) => {
    await using rig = await Rig.start();
    const sent = await headers(rig);
    for (const upgrade of UPGRADES) {
      const { host = rig.host, ...rest } = sent;
      const socket = connect(rig.server.port, "127.0.0.1");
      socket.write(upgradeRequest(upgrade.path, host, rest));
      const head = await readUntil(socket, (text) => text.includes("\r\n\r\n"));
      expect(Number(head.split(" ")[1]), upgrade.path).toBe(expected ?? upgrade.good);
      socket.destroy();
    }
    expect(rig.transport.accepted.length).toBe(expected === null ? 2 : 0);
  });

  test("health needs no login, and answers nothing but ok", async () => {
    await using rig = await Rig.start();
    const response = await rig.get("/mgr/health");
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("ok");
    expect((await status(rig, "GET", "/mgr/health", { host: FOREIGN_HOST })).status).toBe(403);
  });
});
