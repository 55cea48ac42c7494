import { describe, expect, test } from "vitest";
import { MgrError } from "../../../../src/base/errors.ts";
import { vncInfoRoute } from "../../../../src/features/displays/manager/vnc-route.ts";
import { loggerDownloadRoute } from "../../../../src/features/loggers/manager/route.ts";
import { pageRoutes } from "../../../../src/http/routes/assets.ts";
import { logoutRoute } from "../../../../src/http/routes/logout.ts";
import { Followers } from "../../../../src/http/server/open-connections.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import { AppRig, BROWSER, NAVIGATION, OWN } from "../../../http/access/app-rig.ts";
import { GOOD } from "../../../http/rig.ts";
import { FakeDisplays } from "../../displays/fake-displays.ts";
import { FakeLoggers } from "../fake-loggers.ts";

const STOP = "/mgr/logger-download?name=arm&stop=1";
const TOKEN = /name="request_token" value="([\w-]+)"/;

const PAGE = { body: Buffer.from("<html><head></head></html>"), type: "text/html; charset=utf-8", etag: "page", encodings: [] };

/** Counts what the routes with effects do. */
function effectsRig() {
  const done: string[] = [];
  const loggers = new FakeLoggers();
  loggers.onDownload = async ({ name, stop }) => {
    done.push(stop ? `stopped ${name}` : `read ${name}`);
    throw new MgrError("conflict", "the logger has no samples yet");
  };
  const displays = new FakeDisplays(new LogBook({ capacity: 1, now: () => 0 }));
  const info = displays.info.bind(displays);
  displays.info = (user, session) => {
    done.push(`display of ${user}`);
    return info(user, session);
  };
  const followers = new Followers();
  const rig = new AppRig([
    loggerDownloadRoute({ loggers, followers, log: () => {} }),
    vncInfoRoute(displays, "hash"),
    logoutRoute((id) => rig.sessions.end(id), false),
    ...pageRoutes({ hash: "hash", files: new Map([["/index.html", PAGE]]) }),
    { path: "/mgr/log", method: "GET", needs: null, handle: () => new Response("log") },
  ]);
  return { rig, done };
}

const SCRIPT = { "user-agent": "curl/8.5.0" };
const CROSS_SITE = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/** Who asks, with what beside a login, and whether the logger is stopped. Logins: a cookie, Basic, or both as browsers send them. */
const ROWS: readonly { who: string; login: "cookie" | "basic" | "both"; headers: Record<string, string>; acts: boolean }[] = [
  { who: "a page of another site over plain HTTP, by a navigation", login: "cookie", headers: NAVIGATION, acts: false },
  { who: "a page of another site over plain HTTP, in a frame or an image", login: "cookie", headers: BROWSER, acts: false },
  {
    who: "a page of another site with its Referer",
    login: "cookie",
    headers: { ...NAVIGATION, referer: "http://evil.example/" },
    acts: false,
  },
  {
    who: "a page at another port of this host",
    login: "cookie",
    headers: { ...NAVIGATION, referer: "http://bench.lab:9000/" },
    acts: false,
  },
  { who: "a page whose address begins like ours", login: "cookie", headers: { ...BROWSER, referer: `${OWN}.evil.example/` }, acts: false },
  { who: "a page that sends a Referer that is no address", login: "cookie", headers: { ...BROWSER, referer: "http://[" }, acts: false },
  { who: "a page of another site over HTTPS", login: "cookie", headers: { ...NAVIGATION, ...CROSS_SITE }, acts: false },
  { who: "a redirect of another site", login: "cookie", headers: { ...NAVIGATION, ...CROSS_SITE, referer: `${OWN}/` }, acts: false },
  { who: "a browser that repeats Basic", login: "basic", headers: NAVIGATION, acts: false },
  { who: "a browser that repeats Basic beside its cookie", login: "both", headers: NAVIGATION, acts: false },
  { who: "a browser that repeats Basic and sends Sec-Fetch", login: "basic", headers: { ...SCRIPT, ...CROSS_SITE }, acts: false },
  { who: "an address typed into a browser", login: "cookie", headers: { ...NAVIGATION, "sec-fetch-site": "none" }, acts: false },
  { who: "the manager's page, by its Referer", login: "cookie", headers: { ...BROWSER, referer: `${OWN}/?group=sim` }, acts: true },
  { who: "the manager's page, by its Origin", login: "cookie", headers: { ...BROWSER, origin: OWN }, acts: true },
  { who: "the manager's page, logged in by Basic", login: "both", headers: { ...BROWSER, referer: `${OWN}/` }, acts: true },
  { who: "curl with Basic", login: "basic", headers: SCRIPT, acts: true },
  { who: "a script with Basic and no User-Agent", login: "basic", headers: {}, acts: true },
  { who: "fetch of Node, which sends Sec-Fetch-Mode alone", login: "basic", headers: { "sec-fetch-mode": "cors" }, acts: true },
  { who: "curl with the cookie of its login", login: "cookie", headers: SCRIPT, acts: true },
  {
    who: "a script that calls itself a browser, with a Referer of ours",
    login: "basic",
    headers: { ...BROWSER, referer: OWN },
    acts: true,
  },
];

describe("a GET with an effect acts only for the manager's page and for scripts", () => {
  test.each(ROWS)("$who", async ({ login, headers, acts }) => {
    const { rig, done } = effectsRig();
    using _ = rig;
    const sent = {
      ...(login === "basic" ? {} : { cookie: await rig.cookie() }),
      ...(login === "cookie" ? {} : { authorization: GOOD }),
      ...headers,
    };
    for (const path of [STOP, "/mgr/vnc/info"]) {
      const { status } = await rig.request(path, sent);
      expect(status === 403, path).toBe(!acts);
    }
    expect(done).toEqual(acts ? ["stopped arm", "display of ann"] : []);
  });

  test("the manager's page sends a token, with which it needs no Referer", async () => {
    const { rig, done } = effectsRig();
    using _ = rig;
    const cookie = await rig.cookie();
    const page = await (await rig.request("/", { cookie, ...NAVIGATION })).text();
    const [, token] = /<meta name="mgr-request-token" content="([\w-]+)" \/>/.exec(page) ?? [];
    await rig.request(`${STOP}&request_token=${token}`, { cookie, ...BROWSER });
    expect(done).toEqual(["stopped arm"]);
  });

  test("over the local socket the kernel identifies the user", async () => {
    const { rig, done } = effectsRig();
    using _ = rig;
    await rig.request(STOP, BROWSER, "GET", { localUser: "local:ann" });
    expect(done).toEqual(["stopped arm"]);
  });

  test("a request without an effect needs no proof", async () => {
    const { rig, done } = effectsRig();
    using _ = rig;
    const sent = { cookie: await rig.cookie(), ...NAVIGATION };
    expect((await rig.request("/mgr/log", sent)).status).toBe(200);
    for (const query of ["name=arm", "name=arm&stop=0", "name=arm&stop=false"]) {
      expect((await rig.request(`/mgr/logger-download?${query}`, sent)).status, query).toBe(409);
    }
    expect((await rig.request("/mgr/vnc/info", sent, "HEAD")).status).toBe(200);
    expect(done).toEqual(["read arm", "read arm", "read arm"]);
  });

  test("a log-out needs the same proof", async () => {
    const { rig } = effectsRig();
    using _ = rig;
    const cookie = await rig.cookie();
    expect((await rig.request("/mgr/logout", { cookie, ...BROWSER }, "POST")).status).toBe(403);
    expect((await rig.request("/mgr/logout", { cookie, ...BROWSER, origin: OWN }, "POST")).status).toBe(200);
  });
});

describe("a request without proof", () => {
  test("of a browser that navigates is answered by a page with a button, which repeats it with the session's token", async () => {
    const { rig, done } = effectsRig();
    using _ = rig;
    const cookie = await rig.cookie();
    const path = "/mgr/logger-download?name=%22%3E%3Cb%3Earm&stop=1";
    const refused = await rig.request(path, { cookie, ...NAVIGATION });
    const page = await refused.text();
    expect([refused.status, refused.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
    expect(refused.headers.get("cache-control")).toBe("no-store");
    expect(page).toContain('<form action="/mgr/logger-download">');
    expect(page).toContain('<input type="hidden" name="name" value="&#34;&#62;&#60;b&#62;arm" />');
    expect(page).not.toContain("<b>");
    const [, token] = TOKEN.exec(page) ?? [];
    await rig.request(`${path}&request_token=${token}`, { cookie, ...NAVIGATION, ...CROSS_SITE });
    expect(done).toEqual(['stopped "><b>arm']);
  });

  test("of a browser that logs in by it keeps the new session, whose token the button has", async () => {
    const { rig, done } = effectsRig();
    using _ = rig;
    const refused = await rig.request(STOP, { authorization: GOOD, ...NAVIGATION });
    const cookie = refused.headers.get("set-cookie")?.split(";")[0] ?? "";
    const [, token] = TOKEN.exec(await refused.text()) ?? [];
    await rig.request(`${STOP}&request_token=${token}`, { cookie, ...NAVIGATION });
    expect(done).toEqual(["stopped arm"]);
  });

  test("the token of another session proves nothing", async () => {
    const { rig, done } = effectsRig();
    using _ = rig;
    const [, token] = TOKEN.exec(await (await rig.request(STOP, { cookie: await rig.cookie(), ...NAVIGATION })).text()) ?? [];
    const cookie = await rig.cookie();
    for (const claim of [token, "", "x".repeat(43)])
      expect((await rig.request(`${STOP}&request_token=${claim}`, { cookie, ...NAVIGATION })).status).toBe(403);
    expect(done).toEqual([]);
  });

  test("of any other client is answered by a message that names what is missing", async () => {
    const { rig } = effectsRig();
    using _ = rig;
    const refused = await rig.request(STOP, { authorization: GOOD, ...BROWSER });
    expect([refused.status, refused.headers.get("content-type")]).toEqual([403, "text/plain; charset=utf-8"]);
    expect(await refused.text()).toContain("Referer");
  });
});
