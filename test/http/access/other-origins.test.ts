import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { LOGIN_TOKEN_MS } from "../../../src/http/auth/login-tokens.ts";
import type { Route } from "../../../src/http/route.ts";
import { logoutRoute } from "../../../src/http/routes/logout.ts";
import { BAD, GOOD, Rig, USER } from "../rig.ts";
import { AppRig, BROWSER } from "./app-rig.ts";

const DASH = "https://dash.example:3000";
const OTHER = "http://bench.lab:9000";
const ALLOWED = [DASH, OTHER];
const WHO: Route = { path: "/who", method: "GET", needs: null, handle: (context) => new Response(context.get("admission").principal.user) };
const ACTS: Route = { ...WHO, path: "/acts", effect: () => "Act" };
const ASKS = { "access-control-request-method": "GET", "access-control-request-headers": "authorization" };

function originsRig(monotonic: () => number = () => 0) {
  const rig: AppRig = new AppRig([WHO, ACTS, logoutRoute((id) => rig.sessions.end(id), false)], { allowedOrigins: ALLOWED, monotonic });
  return rig;
}

async function tokenOf(rig: AppRig, origin = DASH): Promise<string> {
  const answer = await rig.request("/mgr/login-token", { ...BROWSER, origin, authorization: GOOD }, "POST");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const { ok, token, expires_in } = (await answer.json()) as { ok: boolean; token: string; expires_in: number };
  expect([ok, expires_in]).toEqual([true, LOGIN_TOKEN_MS / 1_000]);
  return token;
}

describe("a page of an allowed origin", () => {
  test("of the same site reads GET routes with the cookie, also those with effects, and answers name its origin", async () => {
    using rig = originsRig();
    const sent = { ...BROWSER, cookie: await rig.cookie(), origin: OTHER, "sec-fetch-site": "same-site" };
    for (const path of ["/who", "/acts"]) {
      const answer = await rig.request(path, sent);
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, OTHER]);
      expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
      expect(answer.headers.get("vary")).toContain("Origin");
    }
  });

  test("learns from a preflight, without a login, what it may send; it can read refusals, too", async () => {
    using rig = originsRig();
    const answer = await rig.request("/who", { ...BROWSER, ...ASKS, origin: DASH }, "OPTIONS");
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, DASH]);
    expect(answer.headers.get("access-control-allow-headers")).toContain("Authorization");
    const refused = await rig.request("/who", { ...BROWSER, origin: DASH, authorization: BAD });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, DASH]);
  });

  test("cannot use routes that are not shared", async () => {
    using rig = originsRig();
    expect((await rig.request("/mgr/logout", { ...BROWSER, cookie: await rig.cookie(), origin: OTHER }, "POST")).status).toBe(403);
  });
});

test("pages of all other origins are refused, also preflights, and no answer names them", async () => {
  using rig = originsRig();
  const cookie = await rig.cookie();
  for (const origin of ["https://dash.example", "http://dash.example:3000", "https://evil.example", "null"]) {
    for (const [method, more] of [
      ["GET", {}],
      ["POST", {}],
      ["OPTIONS", ASKS],
    ] as const) {
      const answer = await rig.request(method === "POST" ? "/mgr/login-token" : "/who", { ...BROWSER, ...more, cookie, origin }, method);
      expect([answer.status, answer.headers.get("access-control-allow-origin")], origin).toEqual([403, null]);
    }
  }
});

describe("a login token", () => {
  test("admits its user from pages of its origin alone", async () => {
    using rig = originsRig();
    const token = await tokenOf(rig);
    const path = `/who?login_token=${token}`;
    const answer = await rig.request(path, { ...BROWSER, origin: DASH });
    expect([answer.status, await answer.text(), answer.headers.get("set-cookie")]).toEqual([200, USER, null]);
    for (const headers of [{ origin: OTHER }, {}, { referer: DASH }])
      expect((await rig.request(path, { ...BROWSER, ...headers })).status).toBe(401);
    expect((await rig.request("/who?login_token=x", { ...BROWSER, origin: DASH })).status).toBe(401);
  });

  test("expires after a minute, and with the session that it came from", async () => {
    let now = 0;
    using rig = originsRig(() => now);
    const [first, second] = [await tokenOf(rig), await tokenOf(rig)];
    const statusOf = async (token: string) => (await rig.request(`/who?login_token=${token}`, { ...BROWSER, origin: DASH })).status;
    now = LOGIN_TOKEN_MS - 1;
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    rig.sessions.prune(() => null);
    expect(await statusOf(first)).toBe(401);
    const third = await tokenOf(rig);
    now += LOGIN_TOKEN_MS;
    expect(await statusOf(third)).toBe(401);
  });

  test("is issued for a login and an Origin, and not for another token", async () => {
    using rig = originsRig();
    const ask = async (headers: Record<string, string>, query = "") =>
      (await rig.request(`/mgr/login-token${query}`, headers, "POST")).status;
    expect(await ask({ origin: DASH })).toBe(401);
    expect(await ask({ origin: DASH, authorization: BAD })).toBe(401);
    expect(await ask({ authorization: GOOD })).toBe(400);
    expect(await ask({ origin: DASH }, `?login_token=${await tokenOf(rig)}`)).toBe(403);
    expect(await ask({ origin: OTHER, cookie: await rig.cookie() })).toBe(200);
  });
});

describe("a WebSocket of a page of an allowed origin", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.start({ allowedOrigins: ALLOWED });
  });
  afterAll(() => rig?.[Symbol.asyncDispose]());

  const open = (path: string, headers: Record<string, string>) => new WebSocket(`ws://${rig.host}${path}`, { headers });

  async function refusalOf(path: string, headers: Record<string, string>): Promise<number> {
    const ws = open(path, headers).on("error", () => {});
    const [, response] = (await once(ws, "unexpected-response")) as [unknown, { statusCode: number }];
    return response.statusCode;
  }

  async function token(): Promise<string> {
    const answer = await rig.get("/mgr/login-token", { authorization: GOOD, origin: DASH }, { method: "POST" });
    return ((await answer.json()) as { token: string }).token;
  }

  test("opens with the cookie, or with a token of its origin in the query", async () => {
    for (const [path, headers] of [
      ["/ws", { origin: OTHER, cookie: await rig.cookie() }],
      [`/ws?log_only=1&login_token=${await token()}`, { origin: DASH }],
    ] as const) {
      const ws = open(path, headers);
      await once(ws, "open");
      ws.terminate();
    }
    expect(rig.transport.accepted.map(({ options }) => [options.principal.user, options.principal.via])).toEqual([
      [USER, "cookie"],
      [USER, "token"],
    ]);
    expect(await refusalOf(`/ws?login_token=${await token()}`, { origin: OTHER })).toBe(401);
    expect(await refusalOf("/ws", { origin: "https://evil.example", cookie: await rig.cookie() })).toBe(403);
    expect(await refusalOf(`/mgr/gui/ws?login_token=${await token()}`, { origin: DASH })).toBe(403);
  });

  test("is never logged with its token, whatever fails", async () => {
    const known = await token();
    rig.control.process = () => {
      throw new Error("broken");
    };
    expect(await refusalOf(`/ws?single_process=x&login_token=${known}`, { origin: DASH })).toBe(500);
    await rig.get(`/mgr/log?login_token=${known}`, { origin: DASH });
    expect(rig.logged.join("\n")).toContain("upgrade of /ws failed");
    expect(rig.logged.join("\n")).not.toContain(known);
  });
});
