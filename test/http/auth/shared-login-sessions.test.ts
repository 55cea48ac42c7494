import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createHttpServer, type HttpServer } from "../../../src/http/index.ts";
import { cookieOf, GOOD, Rig } from "../rig.ts";

const SOON = { timeout: 60_000 };

/** Another manager with the same auth file. */
async function beside(rig: Rig): Promise<HttpServer> {
  return createHttpServer({ ...rig.options(), listen: { host: "127.0.0.1", port: 0 } });
}

async function logIn(server: HttpServer): Promise<string> {
  const response = await fetch(`${server.localUrl}/mgr/log`, { headers: { authorization: GOOD } });
  await response.text();
  return cookieOf(response.headers.get("set-cookie"));
}

async function statusOf(server: HttpServer, cookie: string): Promise<number> {
  const response = await fetch(`${server.localUrl}/mgr/log`, { headers: { cookie } });
  await response.text();
  return response.status;
}

function storedIn(rig: Rig): number {
  return JSON.parse(readFileSync(`${rig.authFile}.sessions`, "utf8")).sessions.length;
}

describe("two managers with one auth file", () => {
  test("keep and accept each other's sessions", async () => {
    await using rig = await Rig.start();
    const other = await beside(rig);
    const cookies: string[] = [];
    for (let round = 0; round < 10; round++) cookies.push(...(await Promise.all([logIn(rig.server), logIn(other), logIn(other)])));
    await expect.poll(() => storedIn(rig), SOON).toBe(30);
    for (const cookie of cookies) expect([await statusOf(rig.server, cookie), await statusOf(other, cookie)]).toEqual([200, 200]);
    await other.close();
    await rig.close();
    expect(storedIn(rig)).toBe(30);
    await rig.listen();
    for (const cookie of cookies) expect(await statusOf(rig.server, cookie)).toBe(200);
  });

  test("a log-out at one applies at the other, and closes its WebSockets within 5 s", async () => {
    await using rig = await Rig.start();
    const other = await beside(rig);
    const cookie = await logIn(rig.server);
    await expect.poll(() => statusOf(other, cookie), SOON).toBe(200);
    const ws = new WebSocket(`${other.localUrl.replace("http", "ws")}/ws`, { headers: { cookie } });
    await once(ws, "open");
    const closed = once(ws, "close");
    await rig.get("/mgr/logout", { cookie }, { method: "POST" });
    const [code] = await closed;
    expect(code).toBe(1008);
    await expect.poll(() => statusOf(other, cookie), SOON).toBe(401);
    await other.close();
  });

  test("removing the sessions file ends all sessions, and new ones begin", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    await expect.poll(() => storedIn(rig), SOON).toBe(1);
    rmSync(`${rig.authFile}.sessions`);
    await expect.poll(() => statusOf(rig.server, cookie), SOON).toBe(401);
    const next = await rig.cookie();
    await expect.poll(() => storedIn(rig), SOON).toBe(1);
    expect([await statusOf(rig.server, cookie), await statusOf(rig.server, next)]).toEqual([401, 200]);
  });

  test("while another program holds the lock, sessions are kept in memory, and written afterwards", async () => {
    let isLocked = true;
    await using rig = await Rig.start({ lock: () => (isLocked ? null : { release: () => {} }) });
    const cookie = await rig.cookie();
    expect(await statusOf(rig.server, cookie)).toBe(200);
    isLocked = false;
    await expect.poll(() => storedIn(rig), SOON).toBe(1);
    expect(await statusOf(rig.server, cookie)).toBe(200);
  });

  test("a session that another manager opened is accepted while this one waits to write its own", async () => {
    await using rig = await Rig.start({ lock: () => null });
    const other = createHttpServer({ ...rig.options(), lock: () => ({ release: () => {} }), listen: { host: "127.0.0.1", port: 0 } });
    await using _ = { [Symbol.asyncDispose]: async () => (await other).close() };
    await rig.cookie();
    const theirs = await logIn(await other);
    await expect.poll(() => existsSync(`${rig.authFile}.sessions`), SOON).toBe(true);
    expect(await statusOf(rig.server, theirs)).toBe(200);
  });
});
