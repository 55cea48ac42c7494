import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ADMIN_GRANTS } from "../../../../src/base/access/access.ts";
import type { Principal } from "../../../../src/base/access/principal.ts";
import { AccessRules } from "../../../../src/config/access-rules.ts";
import { type ConfigInput, configObjectSchema } from "../../../../src/config/schema/schema.ts";
import { cookieOf, GOOD, Rig, USER } from "../../../http/rig.ts";

const ADMIN: Principal = { user: USER, via: "basic", address: "", grants: ADMIN_GRANTS };
type Access = NonNullable<ConfigInput["access"]>;
const BROWSER = { "user-agent": "Mozilla/5.0" };

let rig: Rig;
let secret: string;

beforeEach(async () => {
  rig = await Rig.start();
  // The login page, to whose address the page of a link sends its token.
  writeFileSync(join(rig.assetsDir, "login.html"), "<!doctype html>");
  await rig.close();
  await rig.listen();
  ({ secret } = await rig.control.features.accessTokens.tokens.create({ name: "wall", role: "viewer", on: ["sim/*"] }, ADMIN));
});
afterEach(() => rig[Symbol.asyncDispose]());

const bearer = () => ({ authorization: `Bearer ${secret}` });

/** Logs in as the page behind a link does. */
async function enter(headers: Record<string, string> = bearer()): Promise<Response> {
  return rig.get("/mgr/login", { ...BROWSER, origin: rig.server.localUrl, ...headers }, { method: "POST" });
}

async function open(headers: Record<string, string>): Promise<WebSocket> {
  const ws = new WebSocket(`ws://${rig.host}/ws`, { headers });
  await once(ws, "open");
  return ws;
}

describe("an access token", () => {
  test("is accepted as Bearer by routes and upgrades, and opens no session for a script", async () => {
    const response = await rig.get("/", bearer());
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []]);
    // The whole log belongs to no process.
    expect((await rig.get("/mgr/log", bearer())).status).toBe(403);
    await open(bearer());
    expect(rig.transport.accepted.map(({ options }) => options.principal)).toEqual([
      {
        user: "token:wall",
        via: "bearer",
        address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        grants: [{ role: "viewer", on: ["sim/*"] }],
      },
    ]);
  });

  test("is exchanged for a cookie, which has its role until the log-out", async () => {
    const response = await enter();
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^mgr_web_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const cookie = cookieOf(response.headers.get("set-cookie"));
    await open({ cookie });
    const principal = { user: "token:wall", via: "cookie", grants: [{ role: "viewer", on: ["sim/*"] }] };
    expect(rig.transport.accepted.map(({ options }) => options.principal)).toMatchObject([principal]);
    expect(await (await rig.get("/", { cookie })).text()).toContain('name="mgr-user" content="token:wall"');
    expect((await rig.get("/mgr/logout", { cookie }, { method: "POST" })).status).toBe(200);
    expect((await rig.get("/", { cookie })).status).toBe(401);
    expect((await rig.get("/", bearer())).status).toBe(200);
  });

  test("takes the place of another login of the browser at the login page, but not of its cookie elsewhere", async () => {
    const ann = await rig.cookie();
    const cookie = cookieOf((await enter({ ...bearer(), cookie: ann })).headers.get("set-cookie"));
    expect(await (await rig.get("/", { cookie })).text()).toContain("token:wall");
    expect(await (await rig.get("/", { cookie: ann })).text()).toContain(USER);
  });

  test("closes its WebSockets, log streams and sessions at once when it is revoked, and no others", async () => {
    const cookie = cookieOf((await enter()).headers.get("set-cookie"));
    const other = await open({ authorization: GOOD });
    const closed = Promise.all([await open(bearer()), await open({ cookie })].map((ws) => once(ws, "close")));
    const { tokens } = rig.control.features.accessTokens;
    const reader = await tokens.create({ name: "reader", role: "viewer" }, ADMIN);
    const log = await rig.get("/mgr/log?follow", { authorization: `Bearer ${reader.secret}` });
    expect(log.status).toBe(200);
    const followed = log.text();
    for (const name of ["wall", "reader"]) await tokens.revoke(name, ADMIN);
    for (const [code, reason] of await closed) expect([code, String(reason)]).toEqual([1008, expect.stringContaining("revoked")]);
    await followed;
    for (const headers of [bearer(), { cookie }]) expect((await rig.get("/", headers)).status).toBe(401);
    expect(other.readyState).toBe(WebSocket.OPEN);
  });

  test("closes its WebSockets without a request when it expires, and when its creator is removed", async () => {
    const expired = once(await open(bearer()), "close");
    rig.control.features.accessTokens.now = () => Date.now() + 31 * 86_400_000;
    expect((await expired)[0]).toBe(1008);
    rig.control.features.accessTokens.now = Date.now;
    const orphaned = once(await open(bearer()), "close");
    rig.writeAuth("bob secret\n");
    expect((await orphaned)[0]).toBe(1008);
    expect((await rig.get("/", bearer())).status).toBe(401);
  });

  test("has its own role whatever the configuration gives to users, and ends at once when its creator is no longer an admin", async () => {
    let access: Access = { default: "none", users: { [USER]: "admin" } };
    await rig.close();
    await rig.listen({ access: new AccessRules(() => configObjectSchema.parse({ access }).access) });
    const ws = await open(bearer());
    const ended = once(ws, "close");
    const grants = [{ role: "viewer", on: ["sim/*"] }];
    expect(rig.transport.accepted.at(-1)?.options.principal).toMatchObject({ user: "token:wall", grants });
    access = { default: "admin", users: { [USER]: "admin" } };
    rig.server.accessChanged();
    await open(bearer());
    expect(rig.transport.accepted.at(-1)?.options.principal).toMatchObject({ user: "token:wall", grants });
    expect(ws.readyState).toBe(WebSocket.OPEN);
    access = { default: "admin", users: { [USER]: "operator" } };
    rig.server.accessChanged();
    expect((await ended)[0]).toBe(1012);
    expect((await rig.get("/", bearer())).status).toBe(401);
  });

  test("outlives a restart of the manager, with its sessions", async () => {
    const cookie = cookieOf((await enter()).headers.get("set-cookie"));
    await rig.close();
    await rig.listen();
    for (const headers of [bearer(), { cookie }]) expect((await rig.get("/", headers)).status).toBe(200);
  });

  test("is refused while the auth file is", async () => {
    rig.writeAuth(`${USER} x\n`, 0o644);
    expect((await rig.get("/", bearer())).status).toBe(403);
  });

  test("is never logged, whether it is right or wrong", async () => {
    const wrong = `mgr_${"x".repeat(43)}`;
    await rig.get("/mgr/log", bearer());
    await enter();
    await rig.get("/mgr/log", { authorization: `Bearer ${wrong}` });
    const text = [...rig.logged, ...rig.control.log.entries().map(({ msg }) => msg)].join("\n");
    expect(text).toContain("web login refused for an access token from 127.0.0.1:");
    expect(text).toContain("web user 'token:wall' logged in from 127.0.0.1:");
    for (const each of [secret, wrong]) expect(text).not.toContain(each.slice(4));
  });

  test("that is wrong is slowed down like a password; a token of the bus is not", async () => {
    const wrong = async (token: string) => (await rig.get("/", { authorization: `Bearer ${token}` })).status;
    const guess = () => wrong(`mgr_${"x".repeat(43)}`);
    for (let attempt = 0; attempt < 31; attempt++) expect(await wrong("of-the-bus")).toBe(401);
    for (let attempt = 0; attempt < 30; attempt++) expect(await guess()).toBe(401);
    const rightToken = async () => {
      const { status, headers } = await rig.get("/", bearer());
      // The first wait is a second, which may be over: each further guess doubles it.
      if (status === 200) await guess();
      return [status, headers.get("retry-after")];
    };
    await expect.poll(rightToken).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });
});

test("the page of a link is served without a login, runs no inline script, and is not stored", async () => {
  for (const [path, type] of [
    ["/mgr/enter", "text/html"],
    ["/mgr/enter.js", "text/javascript"],
  ] as const) {
    const response = await rig.get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(await response.text()).not.toMatch(/<script>| on\w+=/);
  }
});
