import { describe, expect, test } from "vitest";
import type { Route } from "../../../src/http/route.ts";
import { pageRoutes } from "../../../src/http/routes/assets.ts";
import { logoutRoute } from "../../../src/http/routes/logout.ts";
import { BAD, basic, cookieOf, GOOD } from "../rig.ts";
import { AppRig, BROWSER, NAVIGATION, OWN } from "./app-rig.ts";

const CHALLENGE = 'Basic realm="mgr", charset="UTF-8"';
const html = (body: string) => ({ body: Buffer.from(body), type: "text/html; charset=utf-8", etag: body, encodings: [] });
const PAGES = {
  hash: "hash",
  files: new Map([
    ["/index.html", html("<head></head>")],
    ["/login.html", html("<form>Log in</form>")],
  ]),
};
const WHO: Route = { path: "/who", method: "GET", needs: null, handle: (context) => new Response(context.get("admission").principal.user) };

function loginRig() {
  const rig: AppRig = new AppRig([...pageRoutes(PAGES), logoutRoute((id) => rig.sessions.end(id), false), WHO]);
  return rig;
}

/** The empty cookie that a log-out leaves in a browser. */
async function loggedOut(rig: AppRig): Promise<string> {
  const left = await rig.request("/mgr/logout", { cookie: await rig.cookie(), ...BROWSER, origin: OWN }, "POST");
  return cookieOf(left.headers.get("set-cookie"));
}

describe("without a login", () => {
  test.each([
    ["a script", "/", {}, "text/plain"],
    ["a browser that opens the page", "/", NAVIGATION, "text/html"],
    ["a browser that opens the page of a process list", "/mgr/process-list?host=a", NAVIGATION, "text/html"],
    ["a browser that repeats a wrong password", "/", { ...NAVIGATION, authorization: BAD }, "text/html"],
    ["a browser that opens another route", "/who", NAVIGATION, "text/plain"],
  ])("%s gets the challenge; the body for a page is the login form", async (_, path, headers, type) => {
    using rig = loginRig();
    const answer = await rig.request(path, headers);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, CHALLENGE]);
    expect(answer.headers.get("content-type")).toContain(type);
    expect((await answer.text()).includes("<form>")).toBe(type === "text/html");
  });

  test("the login form is served at /mgr/login, without a challenge", async () => {
    using rig = loginRig();
    const form = await rig.request("/mgr/login", NAVIGATION);
    expect([form.status, form.headers.get("www-authenticate"), form.headers.get("cache-control")]).toEqual([200, null, "no-store"]);
    expect(await form.text()).toContain("<form>");
    expect((await rig.request("/mgr/login", {}, "DELETE")).headers.get("allow")).toBe("GET, HEAD, POST");
  });

  test("the login form shows other ways to log in, whose texts are escaped", async () => {
    const form = html("<form><!-- other ways to log in --></form>");
    const pages = { hash: "hash", files: new Map([...PAGES.files, ["/login.html", form]]) };
    const offers = [{ label: "Log in with <b>", href: "https://bench.lab/login?a&b" }];
    using rig = new AppRig(pageRoutes(pages, () => offers));
    const link = '<form><a class="offer" href="https://bench.lab/login?a&#38;b">Log in with &#60;b&#62;</a></form>';
    for (const path of ["/", "/mgr/login"]) expect(await (await rig.request(path, NAVIGATION)).text()).toBe(link);
    offers.length = 0;
    expect(await (await rig.request("/mgr/login", NAVIGATION)).text()).toBe(form.body.toString());
  });

  test("the request of the form requires the right password", async () => {
    using rig = loginRig();
    const sent = { ...BROWSER, origin: OWN };
    for (const authorization of [BAD, basic("nobody", "x")])
      expect((await rig.request("/mgr/login", { ...sent, authorization }, "POST")).status).toBe(401);
    expect((await rig.request("/mgr/login", sent, "POST")).status).toBe(401);
    const good = await rig.request("/mgr/login", { ...sent, authorization: GOOD }, "POST");
    expect([good.status, cookieOf(good.headers.get("set-cookie"))]).toEqual([200, expect.stringMatching(/^mgr_web_session=[\w-]{43}$/)]);
  });
});

describe("after a log-out", () => {
  test("Basic credentials that a browser repeats open no session, and the browser shows the form without a dialog of its own", async () => {
    using rig = loginRig();
    const cookie = await loggedOut(rig);
    expect(cookie).toBe("mgr_web_session=");
    for (const authorization of [{ authorization: GOOD }, {}]) {
      const page = await rig.request("/", { ...NAVIGATION, cookie, ...authorization });
      expect([page.status, page.headers.get("set-cookie"), page.headers.get("www-authenticate")]).toEqual([401, null, null]);
      expect(await page.text()).toContain("<form>");
    }
    expect((await rig.request("/who", { ...BROWSER, cookie, authorization: GOOD })).status).toBe(401);
  });

  test("a script that keeps cookies logs in again with Basic", async () => {
    using rig = loginRig();
    const answer = await rig.request("/who", { cookie: await loggedOut(rig), authorization: GOOD });
    expect([answer.status, await answer.text()]).toEqual([200, "ann"]);
  });

  test("the login form opens a session, which takes precedence over the Basic credentials of an earlier user", async () => {
    using rig = loginRig();
    const earlier = basic("bob", "secret");
    const sent = { ...BROWSER, origin: OWN, cookie: await loggedOut(rig), authorization: GOOD };
    const cookie = cookieOf((await rig.request("/mgr/login", sent, "POST")).headers.get("set-cookie"));
    const answer = await rig.request("/who", { ...BROWSER, cookie, authorization: earlier });
    expect([answer.headers.get("set-cookie"), await answer.text()]).toEqual([null, "ann"]);
    // Nor at the form, which says who logs in now.
    const changed = await rig.request("/mgr/login", { ...BROWSER, origin: OWN, cookie, authorization: earlier }, "POST");
    const second = cookieOf(changed.headers.get("set-cookie"));
    expect(await (await rig.request("/who", { ...BROWSER, cookie: second })).text()).toBe("bob");
  });
});
