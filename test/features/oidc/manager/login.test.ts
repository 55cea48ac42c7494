import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { ObservedCommand } from "../../../../src/base/command-observer.ts";
import { parseConfigText } from "../../../../src/config/load/load.ts";
import { oidcExtension } from "../../../../src/features/oidc/manager/index.ts";
import { OidcLogins } from "../../../../src/features/oidc/manager/oidc-logins.ts";
import { GOOD, Rig, USER } from "../../../http/rig.ts";
import { freePort } from "../../../support/free-port.ts";
import { CLIENT, TestProvider } from "../test-provider.ts";
import { Visitor } from "../visitor.ts";

const LOGIN_HTML = "<!doctype html><form><!-- other ways to log in --></form>";
const HOUR_MS = 3_600_000;

let rig: Rig;
let provider: TestProvider;
let logins: OidcLogins;
let origin: string;
/** Keys of `instance.oidc` beyond those that every test has. */
let keys: Record<string, unknown>;
let config: ReturnType<typeof parseConfigText>;
/** Time since the start of the test that its clocks show in addition, ms. */
let later: number;
const observed: { event: string; command: ObservedCommand }[] = [];

/** Puts a configuration into effect, as a reload does. */
function configure(more: Record<string, unknown> = {}): void {
  keys = { ...keys, ...more };
  const settings = {
    issuer: provider.issuer,
    client_id: CLIENT.id,
    client_secret: { file: join(rig.folder, "oidc.secret") },
    url: origin,
    name: "Lab",
    scopes: ["openid", "profile", "groups"],
    groups: { pilots: "operator", "sim team": [{ role: "viewer", on: "sim/*" }] },
    ...keys,
  };
  config = parseConfigText(JSON.stringify({ instance: { name: "t", manager: ":0", oidc: settings }, processes: {} }), "mgr.yaml");
}

beforeEach(async () => {
  keys = {};
  later = 0;
  observed.length = 0;
  // The provider for tests warns that it is one.
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockReturnValue();
  logins = new OidcLogins({ config: () => config, now: () => Date.now() + later, monotonic: () => performance.now() + later });
  // It is opened again: a port that no connection of another program gets meanwhile.
  rig = await Rig.start({ listen: { host: "127.0.0.1", port: freePort() } });
  writeFileSync(join(rig.assetsDir, "login.html"), LOGIN_HTML);
  writeFileSync(join(rig.folder, "oidc.secret"), `${CLIENT.secret}\n`, { mode: 0o600 });
  await listen();
  origin = rig.server.localUrl;
  provider = await TestProvider.start(`${origin}/mgr/oidc/callback`);
  configure();
  as("ann", ["pilots"]);
});
afterEach(async () => {
  logins.close();
  await rig[Symbol.asyncDispose]();
  await provider.stop();
  vi.restoreAllMocks();
});

async function listen(options: Parameters<Rig["listen"]>[0] = {}): Promise<void> {
  const port = rig.server.port;
  await rig.close();
  const observer = {
    before: (command: ObservedCommand) => {
      observed.push({ event: "begun", command });
      return () => {};
    },
    refused: (command: ObservedCommand) => void observed.push({ event: "refused", command }),
  };
  const extensions = [
    ...rig.control.extensions.filter((extension) => extension.observer === undefined),
    { ...oidcExtension(logins, () => performance.now() + later), observer },
  ];
  await rig.listen({ extensions, listen: { host: "127.0.0.1", port }, ...options });
}

/** Sets the user who is logged in at the provider. */
function as(name: string, groups: unknown, subject = name): void {
  provider.account = { subject, claims: { preferred_username: name, groups } };
}

const start = () => `${origin}/mgr/oidc/login`;
const isCallback = (url: URL) => url.pathname === "/mgr/oidc/callback";

/** Logs in as a browser does; resolves with it, and with the page at the end. */
async function logIn(visitor = new Visitor()) {
  const { response, hops } = await visitor.follow(start());
  return { visitor, response, text: await response.text(), hops };
}

/** Logs in at the provider; resolves with the browser and the address with which the provider sends it back. */
async function untilCallback() {
  const visitor = new Visitor();
  const { hops } = await visitor.follow(start(), isCallback);
  const callback = hops.at(-1);
  if (callback === undefined || !isCallback(callback)) throw new Error(`no redirect to the callback: ${hops.join(" ")}`);
  return { visitor, callback };
}

async function grantsOf(visitor: Visitor): Promise<unknown> {
  const response = await visitor.get(`${origin}/`);
  return response.status === 200 ? /name="mgr-user" content="([^"]*)"/.exec(await response.text())?.[1] : response.status;
}

async function webSocket(visitor: Visitor): Promise<WebSocket> {
  const ws = new WebSocket(`ws://${rig.host}/ws`, { headers: { cookie: visitor.cookieHeader(origin) } });
  await once(ws, "open");
  return ws;
}

describe("a login at an OpenID provider", () => {
  test("opens a session with the roles of the groups, which audit and log name", async () => {
    const { visitor, response, hops, text } = await logIn();
    expect([response.status, hops.at(-1)?.href]).toEqual([200, `${origin}/`]);
    expect(text).toContain('name="mgr-user" content="oidc:ann"');
    // The cookie that bound the login to the browser is gone.
    expect(visitor.cookiesOf(origin)).toEqual(["mgr_web_session"]);
    const authorization = hops.find(({ pathname }) => pathname === "/auth");
    expect(Object.fromEntries(authorization?.searchParams ?? [])).toMatchObject({
      response_type: "code",
      scope: "openid profile groups",
      code_challenge_method: "S256",
      redirect_uri: `${origin}/mgr/oidc/callback`,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    await webSocket(visitor);
    expect(rig.transport.accepted.at(-1)?.options.principal).toMatchObject({
      user: "oidc:ann",
      via: "cookie",
      grants: [{ role: "operator", on: null }],
    });
    expect(observed).toMatchObject([{ event: "begun", command: { name: "log_in", sender: { user: "oidc:ann", via: "provider" } } }]);
    expect(rig.logged).toContainEqual(expect.stringMatching(/^info: web user 'oidc:ann' \(subject "ann"\) logged in at http/));
    expect(rig.logged.join("\n")).not.toContain(CLIENT.secret);
  });

  test("is offered on the login page, which a link alone cannot pass over", async () => {
    const page = await (await rig.get("/mgr/login")).text();
    expect(page).toContain(`<a class="offer" href="${origin}/mgr/oidc/login">Log in with Lab</a>`);
    const browser = { "user-agent": "Mozilla/5.0" };
    for (const headers of [browser, { ...browser, "sec-fetch-site": "cross-site" }, { ...browser, referer: "https://evil.example/" }]) {
      const response = await rig.get("/mgr/oidc/login", headers);
      expect([response.status, response.headers.get("location")]).toEqual([303, `${origin}/mgr/login`]);
    }
    const clicked = await rig.get("/mgr/oidc/login", { ...browser, referer: `${origin}/?view=log` });
    expect(clicked.headers.get("location")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\?/);
  });

  test.each([
    ["/?view=log#end", "/?view=log#end"],
    ["https://evil.example/", "/"],
    ["//evil.example/", "/"],
    ["/.//evil.example/", "/evil.example/"],
    ["/\\evil.example/", "/"],
  ])("that asked for %j ends at %j", async (to, end) => {
    const visitor = new Visitor();
    const { hops } = await visitor.follow(`${start()}?${new URLSearchParams({ to })}`, isCallback);
    const response = await visitor.get(hops.at(-1) ?? "");
    expect([response.status, response.headers.get("location")]).toEqual([303, end]);
  });

  test("is completed once only, by the browser that began it, and with its own state", async () => {
    const { visitor, callback } = await untilCallback();
    const expectRefused = async (by: Visitor, url: URL) => {
      const response = await by.get(url);
      expect([response.status, response.headers.getSetCookie().filter((set) => set.startsWith("mgr_web_session"))]).toEqual([400, []]);
    };
    await expectRefused(new Visitor(), callback);
    const wrong = new URL(callback);
    wrong.searchParams.set("state", "x".repeat(43));
    await expectRefused(visitor, wrong);
    expect(provider.exchanges).toBe(0);
    expect((await visitor.get(callback)).status).toBe(303);
    await expectRefused(visitor, callback);
    expect(provider.exchanges).toBe(1);
  });

  test("that takes more than ten minutes has to begin again", async () => {
    const { visitor, callback } = await untilCallback();
    later = 10 * 60_000;
    const response = await visitor.get(callback);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("took too long")]);
  });

  test("with a code of another login is refused by the provider", async () => {
    const [first, second] = [await untilCallback(), await untilCallback()];
    const mixed = new URL(first.callback);
    mixed.searchParams.set("code", second.callback.searchParams.get("code") ?? "");
    const response = await first.visitor.get(mixed);
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining("invalid_grant")]);
  });

  test("of a user without a role is refused with the reason, and recorded", async () => {
    as("eve", ["visitors"]);
    const { visitor, response, text } = await logIn();
    expect([response.status, text]).toEqual([
      403,
      expect.stringContaining("Lab knows you as 'eve', but none of your groups has a role here"),
    ]);
    expect(await grantsOf(visitor)).toBe(401);
    expect(observed).toMatchObject([{ event: "refused", command: { name: "log_in", sender: { user: "oidc:eve", grants: [] } } }]);
    expect(rig.logged).toContainEqual(expect.stringMatching(/^warning: web login refused for user "oidc:eve" .*visitors/));
    configure({ default: "viewer" });
    expect((await logIn()).response.status).toBe(200);
  });

  test("that the user cancels at the provider shows so", async () => {
    provider.isCancelled = true;
    const { response, text } = await logIn();
    expect([response.status, text]).toEqual([403, expect.stringContaining("Lab refused the login (access_denied")]);
  });

  test("while the provider is down shows so and is logged, and passwords still work", async () => {
    const { visitor, callback } = await untilCallback();
    await provider.stop();
    const completed = await visitor.get(callback);
    // The next login asks for the provider's metadata again.
    later = 2 * HOUR_MS;
    const begun = await logIn();
    for (const answer of [
      [completed.status, await completed.text()],
      [begun.response.status, begun.text],
    ])
      expect(answer).toEqual([502, expect.stringContaining("Lab cannot be reached")]);
    expect(rig.logged).toContainEqual(expect.stringMatching(/^warning: a login at http:.* failed: Lab cannot be reached.*ECONNREFUSED/));
    expect((await rig.get("/", { authorization: GOOD })).status).toBe(200);
  });

  test("fails before the user is sent to the provider if the secret cannot be read, and says so in the log", async () => {
    configure({ client_secret: { file: "none.secret" } });
    const { response, text } = await logIn();
    expect([response.status, text]).toEqual([502, expect.stringContaining("secret of this manager cannot be read")]);
    expect(rig.logged).toContainEqual(expect.stringContaining("none.secret cannot be read"));
  });

  test("with a wrong secret names the provider's error, and not the secret", async () => {
    writeFileSync(join(rig.folder, "oidc.secret"), "not-the-secret-of-this-client");
    const { response, text } = await logIn();
    expect([response.status, text]).toEqual([502, expect.stringContaining("invalid_client")]);
    expect(`${text}${rig.logged.join("\n")}`).not.toContain("not-the-secret");
  });
});

describe("the session of a user of a provider", () => {
  test("ends by itself with its connections, and by a log-out", async () => {
    const { visitor } = await logIn();
    const ws = await webSocket(visitor);
    const closed = once(ws, "close");
    later = 12 * HOUR_MS;
    expect((await closed)[0]).toBe(1008);
    expect(await grantsOf(visitor)).toBe(401);
    later = 0;
    const again = await logIn();
    const out = await again.visitor.get(`${origin}/mgr/logout`, { origin }, "POST");
    expect([out.status, await grantsOf(again.visitor)]).toEqual([200, 401]);
  });

  test("survives a new manager, and a refused auth file", async () => {
    const { visitor } = await logIn();
    await listen();
    expect(await grantsOf(visitor)).toBe("oidc:ann");
    rig.writeAuth(`${USER} secret\n`, 0o644);
    expect([await grantsOf(visitor), (await rig.get("/", { authorization: GOOD })).status]).toEqual(["oidc:ann", 403]);
    expect((await rig.get("/", { "user-agent": "Mozilla/5.0" })).status).toBe(401);
  });

  test("needs no auth file", async () => {
    await listen({ authFile: null });
    const { visitor } = await logIn();
    expect(await grantsOf(visitor)).toBe("oidc:ann");
  });

  test("has other roles at once when the configuration gives others to its groups", async () => {
    const { visitor } = await logIn();
    const closed = once(await webSocket(visitor), "close");
    configure({ groups: { pilots: [{ role: "viewer", on: "sim/*" }] } });
    rig.server.accessChanged();
    expect((await closed)[0]).toBe(1012);
    await webSocket(visitor);
    expect(rig.transport.accepted.at(-1)?.options.principal.grants).toEqual([{ role: "viewer", on: ["sim/*"] }]);
  });

  test("has the groups of the newest login of its user; connections with others are closed", async () => {
    const { visitor } = await logIn();
    const closed = once(await webSocket(visitor), "close");
    as("ann", ["sim team"]);
    await logIn();
    await closed;
    await webSocket(visitor);
    expect(rig.transport.accepted.at(-1)?.options.principal.grants).toEqual([{ role: "viewer", on: ["sim/*"] }]);
  });

  test("ends when another user at the provider logs in with the same name", async () => {
    const { visitor } = await logIn();
    as("ann", ["sim team"], "another subject");
    const other = await logIn();
    expect([await grantsOf(visitor), await grantsOf(other.visitor)]).toEqual([401, "oidc:ann"]);
  });

  test(`is never that of a user of the auth file: '${USER}' at the provider is another user`, async () => {
    as(USER, ["sim team"]);
    const { visitor } = await logIn();
    expect(await grantsOf(visitor)).toBe(`oidc:${USER}`);
    const basic = await rig.get("/", { authorization: `Basic ${btoa(`oidc:${USER}:`)}` });
    expect(basic.status).toBe(401);
  });

  test("has no role in a manager with the same auth file that has no provider, and stays valid", async () => {
    const { visitor } = await logIn();
    const configured = config;
    config = parseConfigText('instance: {name: t, manager: ":0"}\nprocesses: {}\n', "mgr.yaml");
    await webSocket(visitor);
    expect(rig.transport.accepted.at(-1)?.options.principal).toMatchObject({ user: "oidc:ann", grants: [] });
    expect((await rig.get("/mgr/oidc/login")).status).toBe(404);
    expect(await (await rig.get("/mgr/login")).text()).not.toContain("offer");
    config = configured;
    await webSocket(visitor);
    expect(rig.transport.accepted.at(-1)?.options.principal.grants).toEqual([{ role: "operator", on: null }]);
  });
});

test("claims of the ID token are enough for a login", async () => {
  await provider.stop();
  provider = await TestProvider.start(`${origin}/mgr/oidc/callback`, { idTokenHasClaims: true });
  configure();
  as("joe", "pilots");
  const { visitor } = await logIn();
  expect(await grantsOf(visitor)).toBe("oidc:joe");
});
