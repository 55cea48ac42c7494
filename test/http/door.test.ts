import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { BAD, GOOD, Rig, raw, readUntil, upgradeRequest } from "./rig.ts";

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
  { method: "POST", path: "/mgr/logout", good: 200 },
  { method: "GET", path: "/nowhere", good: 404 },
  { method: "DELETE", path: "/", good: 405 },
  { method: "GET", path: "/mgr/logout", good: 405 },
];
const UPGRADES = [
  { path: "/ws", good: 101 },
  { path: "/ws?single_process=sim/world", good: 101 },
  { path: "/ws?single_process=nobody", good: 404 },
  { path: "/ws?single_process=sim/world&log_only=1", good: 400 },
  { path: "/nowhere", good: 404 },
];
const VISITORS = [
  { who: "nobody", headers: {}, status: 401 },
  { who: "a wrong password", headers: { authorization: BAD }, status: 401 },
  { who: "a foreign origin", headers: { authorization: GOOD, origin: FOREIGN_ORIGIN }, status: 403 },
  { who: "an opaque origin", headers: { authorization: GOOD, origin: "null" }, status: 403 },
  { who: "a foreign host", headers: { authorization: GOOD, host: FOREIGN_HOST }, status: 403 },
  { who: "a good password", headers: { authorization: GOOD }, status: null },
] as const;

/** A request by hand, on a connection of its own: fetch would not let a test choose Host. */
async function status(rig: Rig, method: string, path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const all = { host: rig.host, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = await raw(rig.server.port, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return { status: Number(text.split(" ")[1]), text };
}

describe("every route and upgrade passes the same gate", () => {
  test.each(VISITORS)("routes, for $who", async ({ headers, status: expected }) => {
    await using rig = await Rig.start();
    for (const route of ROUTES) {
      const answer = await status(rig, route.method, route.path, headers);
      expect(answer.status, `${route.method} ${route.path}`).toBe(expected ?? route.good);
      expect(answer.text).toMatch(/^X-Content-Type-Options: nosniff\r$/im);
      expect(answer.text).toMatch(/^Content-Security-Policy: .*frame-ancestors 'none'/im);
      if (answer.status >= 400) expect(answer.text).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/im);
      expect(/^WWW-Authenticate: Basic realm="mgr", charset="UTF-8"\r$/im.test(answer.text)).toBe(answer.status === 401);
    }
  });

  test.each(VISITORS)("upgrades, for $who", async ({ headers, status: expected }) => {
    await using rig = await Rig.start();
    for (const upgrade of UPGRADES) {
      const { host = rig.host, ...rest } = headers as Record<string, string>;
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
