import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Accounts } from "../../../src/http/auth/accounts.ts";
import { parseAuthFile } from "../../../src/http/auth/auth-entries.ts";
import { IDLE_MS, LIFETIME_MS, LoginSessions, MAX_PER_USER } from "../../../src/http/auth/login-sessions.ts";
import { accessOf } from "../../support/access.ts";
import { BAD, basic, cookieOf, GOOD, PASSWORD, Rig, USER } from "../rig.ts";

const FORM = /^mgr_web_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/;

describe("the session cookie", () => {
  test("is set after a login, in exactly this form, and is sufficient from then on", async () => {
    await using rig = await Rig.start();
    const response = await rig.get("/", { authorization: GOOD });
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(FORM)]);
    const cookie = cookieOf(response.headers.get("set-cookie"));
    const again = await rig.get("/mgr/log", { cookie });
    expect(again.status).toBe(200);
    expect(again.headers.getSetCookie()).toEqual([]);
    const both = await rig.get("/", { cookie, authorization: GOOD });
    expect(both.headers.getSetCookie()).toEqual([]);
  });

  test("is set on the 101 of an upgrade that logged in, and is sufficient for the next one", async () => {
    await using rig = await Rig.start();
    const open = async (headers: Record<string, string>) => {
      const ws = new WebSocket(`ws://${rig.host}/ws?log_only=1`, { headers });
      const [[response]] = await Promise.all([once(ws, "upgrade"), once(ws, "open")]);
      return (response as { headers: { "set-cookie"?: string[] } }).headers["set-cookie"];
    };
    const cookies = await open({ authorization: GOOD });
    expect(cookies).toEqual([expect.stringMatching(FORM)]);
    expect(await open({ cookie: cookieOf(cookies?.[0]) })).toBeUndefined();
    expect(rig.transport.accepted.map(({ options }) => [options.principal.user, options.principal.via, options.mode.kind])).toEqual([
      [USER, "basic", "log_only"],
      [USER, "cookie", "log_only"],
    ]);
    expect(rig.transport.accepted[0]?.options.address).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  test("is not given for a wrong password, a token or an open route", async () => {
    await using rig = await Rig.start();
    for (const authorization of [BAD, "Bearer wrong", "Basic %%%", "Digest x"]) {
      expect((await rig.get("/", { authorization })).headers.getSetCookie()).toEqual([]);
    }
    expect((await rig.get("/mgr/health", { authorization: GOOD })).headers.getSetCookie()).toEqual([]);
  });

  test("several cookies of the name are all tried", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    const other = `mgr_web_session=${"x".repeat(43)}`;
    for (const header of [`${other}; ${cookie}`, `${cookie}; ${other}`, `a=b; mgr_web_session=; ${other};${cookie}; mgr_web_session`]) {
      expect((await rig.get("/", { cookie: header })).status, header).toBe(200);
    }
    expect((await rig.get("/", { cookie: other })).status).toBe(401);
  });

  test("credentials for another user take precedence", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    const switched = await rig.get("/", { cookie, authorization: basic("bob", "secret") });
    expect(switched.headers.getSetCookie()).toHaveLength(1);
    expect((await rig.get("/", { cookie, authorization: basic("bob", "wrong") })).status).toBe(401);
  });

  test("survives a restart of the manager; the file has mode 0600 and no token in it", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    await rig.close();
    const file = `${rig.authFile}.sessions`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const content = readFileSync(file, "utf8");
    expect(content).not.toContain(cookie.split("=")[1]);
    expect(content).not.toContain(PASSWORD);
    expect(content).toContain(USER);
    await rig.listen();
    expect((await rig.get("/", { cookie })).status).toBe(200);
  });

  test("does not survive a password that changed while no manager ran", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    await rig.close();
    rig.writeAuth(`${USER} other\n`);
    await rig.listen();
    expect((await rig.get("/", { cookie })).status).toBe(401);
  });

  test.each([
    ["damaged", (file: string) => writeFileSync(file, '{"version":1,"sessions":[{"id":1}]}')],
    ["cut off", (file: string) => writeFileSync(file, readFileSync(file, "utf8").slice(0, 40))],
    ["writable by others", (file: string) => chmodSync(file, 0o622)],
  ])("a sessions file that is %s is set aside with a warning", async (_, spoil) => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    await rig.close();
    spoil(`${rig.authFile}.sessions`);
    await rig.listen();
    expect(rig.logged.join("\n")).toMatch(
      /warning: the sessions file .* renamed to .*\.sessions\.damaged-1; all web users must log in again/,
    );
    expect((await rig.get("/", { cookie })).status).toBe(401);
    expect((await rig.get("/", { authorization: GOOD })).status).toBe(200);
    expect(readdirSync(rig.folder)).toContain("webui.keys.sessions.damaged-1");
  });
});

describe("logging out", () => {
  test("ends this session, its WebSockets and its followers, and no other", async () => {
    await using rig = await Rig.start();
    const [mine, other] = [await rig.cookie(), await rig.cookie()];
    const sockets = [mine, other].map((cookie) => new WebSocket(`ws://${rig.host}/ws`, { headers: { cookie } }));
    const [first, second] = sockets;
    await Promise.all(sockets.map((socket) => once(socket, "open")));
    const following = rig.get("/mgr/log?follow", { cookie: mine });
    const followed = (await following).text();
    if (!first || !second) throw new Error("two sockets were opened");
    const closed = once(first, "close");
    const response = await rig.get("/mgr/logout", { cookie: mine }, { method: "POST" });
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toEqual(["mgr_web_session=; Path=/; HttpOnly; SameSite=Lax"]);
    expect(await closed).toEqual([1008, Buffer.from("logged out")]);
    await followed;
    expect((await rig.get("/", { cookie: mine })).status).toBe(401);
    expect((await rig.get("/", { cookie: other })).status).toBe(200);
    expect(second.readyState).toBe(WebSocket.OPEN);
  });

  test.each(["cross-site", "same-site"])("is refused to a page of another site (%s)", async (site) => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    expect((await rig.get("/mgr/logout", { cookie, "sec-fetch-site": site }, { method: "POST" })).status).toBe(403);
    // Following a link from there is no effect.
    expect((await rig.get("/", { cookie, "sec-fetch-site": site })).status).toBe(200);
  });
});

describe("revocation", () => {
  test.each([
    ["changed", `${USER} other\nbob secret\n`],
    ["removed", "bob secret\n"],
  ])("a %s password ends the user's sessions and WebSockets at once, and no other user's", async (_, content) => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    const open = async (headers: Record<string, string>) => {
      const ws = new WebSocket(`ws://${rig.host}/ws`, { headers });
      await once(ws, "open");
      return ws;
    };
    const revoked = [await open({ cookie }), await open({ authorization: GOOD })];
    const bob = await open({ authorization: basic("bob", "secret") });
    const closed = Promise.all(revoked.map((ws) => once(ws, "close")));
    rig.writeAuth(content);
    // Nobody asks for anything: the manager has to look by itself.
    expect((await closed).map(([code]) => code)).toEqual([1008, 1008]);
    expect((await rig.get("/", { cookie })).status).toBe(401);
    expect(bob.readyState).toBe(WebSocket.OPEN);
  });

  test("a client that does not answer the close frame is disconnected", async () => {
    await using rig = await Rig.start();
    const ws = new WebSocket(`ws://${rig.host}/ws`, { headers: { authorization: GOOD } });
    await once(ws, "open");
    ws.pause();
    const accepted = rig.transport.accepted[0]?.ws;
    if (!accepted) throw new Error("the upgrade was not handed on");
    rig.writeAuth("bob secret\n");
    await once(accepted, "close");
    expect(accepted.readyState).toBe(WebSocket.CLOSED);
    ws.terminate();
  });

  test.each([
    ["removed", (path: string) => rmSync(path)],
    ["readable for others", (path: string) => chmodSync(path, 0o644)],
  ])("WebSockets are closed when the file is %s, and sessions continue once it is fixed", async (_, spoil) => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    const open = async (headers: Record<string, string>) => {
      const ws = new WebSocket(`ws://${rig.host}/ws`, { headers });
      await once(ws, "open");
      return ws;
    };
    const all = [await open({ cookie }), await open({ authorization: basic("bob", "secret") })];
    const closed = Promise.all(all.map((ws) => once(ws, "close")));
    const content = readFileSync(rig.authFile, "utf8");
    spoil(rig.authFile);
    expect((await closed).map(([code]) => code)).toEqual([1008, 1008]);
    rig.writeAuth(content);
    expect((await rig.get("/", { cookie })).status).toBe(200);
  });

  test("a temporarily broken file revokes no session", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    const content = readFileSync(rig.authFile, "utf8");
    rig.writeAuth("# nobody\n");
    expect((await rig.get("/", { cookie })).status).toBe(403);
    rig.writeAuth(content);
    expect((await rig.get("/", { cookie })).status).toBe(200);
  });
});

describe("lifetime and number", () => {
  let now = 1_000_000_000_000;
  const { entries } = parseAuthFile("ann x\nbob y\n");
  const [ann, bob] = entries;
  let sessions: LoginSessions;
  const open = (entry = ann) => {
    if (!entry) throw new Error("both users are in the file");
    return sessions.open(entry).token;
  };
  const ended: string[] = [];
  const isAlive = (token: string) => sessions.find([token], new Accounts(accessOf(), []).among(entries)) !== null;
  beforeEach(() => {
    now = 1_000_000_000_000;
    ended.length = 0;
    sessions = new LoginSessions({ path: null, lock: () => null, now: () => now, onEnded: (id) => ended.push(id), log: () => {} });
  });

  test("with an end of its own ends then, and is reported so that its connections are closed", () => {
    const { token, id } = sessions.open({ user: "ann", secret: "x" }, now + 1_000);
    const other = open();
    sessions.expire();
    expect([isAlive(token), ended]).toEqual([true, []]);
    now += 1_000;
    sessions.expire();
    sessions.expire();
    expect([isAlive(token), isAlive(other), ended]).toEqual([false, true, [id]]);
  });

  test("ends after 7 days without use, not with use; after 30 days in any case", () => {
    const [idle, used] = [open(), open()];
    const begin = now;
    while (now - begin + IDLE_MS / 2 < LIFETIME_MS) {
      now += IDLE_MS / 2;
      expect(isAlive(used)).toBe(true);
    }
    expect(isAlive(idle)).toBe(false);
    now = begin + LIFETIME_MS - 1;
    expect(isAlive(used)).toBe(true);
    now++;
    expect(isAlive(used)).toBe(false);
  });

  test("over 64 of a user, those never presented again are evicted first, then the longest unused", () => {
    const presented = Array.from({ length: MAX_PER_USER - 1 }, () => {
      now++;
      return open();
    });
    for (const token of presented) {
      now++;
      isAlive(token);
    }
    now++;
    const never = open();
    const other = open(bob);
    now++;
    const newest = open();
    now++;
    expect(isAlive(newest)).toBe(true);
    expect(isAlive(never)).toBe(false);
    expect(presented.every((token, index) => index === 0 || isAlive(token))).toBe(true);
    expect(isAlive(open())).toBe(true);
    expect(presented.filter((token) => !isAlive(token))).toEqual([presented[0]]);
    expect(isAlive(other)).toBe(true);
  });
});
