import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DaemonLogger } from "../../../../src/features/loggers/wire.ts";
import type { Client } from "../../support/client.ts";
import { launchBrowser } from "../../support/demo.ts";
import { Instance } from "../../support/instance.ts";

// A real browser at names that are not loopback, over plain HTTP: it sends no Sec-Fetch headers there.

let instance: Instance;
let client: Client;
let browser: Browser;
/** Empty pages of all other names. */
let others: Server;

beforeAll(async () => {
  others = createServer((_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"));
  await once(others.listen(0, "127.0.0.1"), "listening");
  const allowed_origins = [other("bench.lab"), other("dash.lab")];
  [instance, browser] = await Promise.all([
    Instance.up({ instance: { allowed_hosts: ["bench.lab"], allowed_origins }, processes: {} }),
    launchBrowser("--host-resolver-rules=MAP *.lab 127.0.0.1"),
  ]);
  client = await instance.connect();
  await client.ask({ type: "configure_logger", name: "arm", only_ts: false, topics: [{ name: "arm/state", log_size: 10, divisor: 1 }] });
});
afterAll(async () => {
  await browser?.close();
  others?.close();
  await instance?.[Symbol.asyncDispose]();
});

/** Origin of the empty pages at a name. */
const other = (name: string) => `http://${name}:${(others.address() as AddressInfo).port}`;

const address = (path: string) => {
  const url = new URL(path, instance.url);
  url.hostname = "bench.lab";
  return url.href;
};

async function isStarted(): Promise<boolean | undefined> {
  const { loggers } = await client.ask({ type: "request_loggers" });
  return (loggers as DaemonLogger[]).find(({ name }) => name === "arm")?.enabled;
}

async function newPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("User").fill(instance.user);
  await page.getByLabel("Password").fill(instance.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await connected(page);
}

const connected = (page: Page) => page.getByText("connected", { exact: true }).waitFor({ state: "attached" });

/** A page whose browser is logged in to the manager. */
async function loggedIn(): Promise<Page> {
  const page = await newPage();
  await page.goto(address("/"));
  await logIn(page);
  return page;
}

describe("over plain HTTP", () => {
  test("a link on a page of another site stops no logger: the browser asks its user with a button", async () => {
    await client.ask({ type: "start_logger", name: "arm" });
    const page = await loggedIn();
    await page.goto(other("evil.lab"));
    const link = address("/mgr/logger-download?name=arm&stop=1");
    await Promise.all([page.waitForURL(link), page.evaluate(`location.href = ${JSON.stringify(link)}`)]);
    expect(await isStarted()).toBe(true);
    const button = page.getByRole("button", { name: "Stop the logger arm and download its samples" });
    await button.waitFor();
    // An empty logger is refused once it has been stopped.
    await Promise.all([page.waitForResponse((response) => response.url().includes("request_token")), button.click()]);
    expect(await isStarted()).toBe(false);
  });

  test("the manager's page makes its own downloads and displays", async () => {
    const page = await loggedIn();
    const answers = ["/save-all", "/mgr/vnc/info", "/mgr/logger-download?name=arm&stop=1"].map((path) =>
      page.evaluate(`fetch(${JSON.stringify(path)}).then(({ status }) => status)`),
    );
    // There may be no X server program here, and the logger is empty; neither is a refusal of the request.
    expect(await Promise.all(answers)).not.toContain(403);
    const download = page.waitForEvent("download");
    await page.keyboard.press("Control+Shift+K");
    await page.getByRole("dialog", { name: "Command palette" }).getByRole("combobox").fill("diagnostics archive");
    await page.getByRole("option").first().click();
    expect((await download).suggestedFilename()).toMatch(/\.tar\.bz2$/);
  });
});

describe("a browser that logs in by its own dialog", () => {
  test("opens the page with a user and password in the address", async () => {
    const page = await newPage();
    const url = new URL(address("/"));
    Object.assign(url, { username: instance.user, password: instance.password });
    await page.goto(url.href);
    await connected(page);
  });

  test("is logged out until its user logs in by the form, although it knows the password", async () => {
    const { user, password } = instance;
    const page = await newPage({ httpCredentials: { username: user, password } });
    await page.goto(address("/"));
    await connected(page);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL(address("/mgr/login"));
    expect((await page.goto(address("/")))?.status()).toBe(401);
    await logIn(page);
  });
});

describe("a page of an allowed origin", () => {
  /** In a page: whether a WebSocket opens. */
  const opens = (page: Page, query = "") =>
    page.evaluate(`new Promise((resolve) => {
      const ws = new WebSocket(${JSON.stringify(address("/ws").replace(/^http/, "ws"))} + ${JSON.stringify(query)});
      ws.onopen = () => { ws.close(); resolve(true); };
      ws.onerror = () => resolve(false);
    })`);
  test("at another port of the same host uses the session cookie", async () => {
    const page = await loggedIn();
    await page.goto(other("bench.lab"));
    expect(await opens(page)).toBe(true);
    expect(
      await page.evaluate(`fetch(${JSON.stringify(address("/mgr/log?limit=1"))}, { credentials: "include" }).then(({ status }) => status)`),
    ).toBe(200);
  });

  test("of another site gets no cookie, and exchanges its password for a token", async () => {
    const page = await loggedIn();
    await page.goto(other("dash.lab"));
    expect(await opens(page)).toBe(false);
    const token = await page.evaluate(`fetch(${JSON.stringify(address("/mgr/login-token"))}, {
      method: "POST", credentials: "omit", headers: { Authorization: ${JSON.stringify(instance.basic)} },
    }).then((answer) => answer.json()).then(({ token }) => token)`);
    expect(await opens(page, `?login_token=${token}`)).toBe(true);
    await page.goto(other("evil.lab"));
    expect(await opens(page, `?login_token=${token}`)).toBe(false);
    expect((await (await instance.fetch("/mgr/log")).text()).includes(String(token))).toBe(false);
  });
});
