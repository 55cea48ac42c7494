import { chmodSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as BrowserClient from "../../../src/client/browser.ts";
import { Instance } from "../support/instance.ts";
import { type SharedBrowser, sharedBrowser } from "../support/shared-browser.ts";
import { ECHO } from "../support/shell.ts";

const ENTRY = fileURLToPath(new URL("../../../dist/client/browser.js", import.meta.url));

// What functions for the page find there.
declare global {
  var mgrClient: typeof BrowserClient;
  var origin: string;
}

/** `mgr/client` as a bundler puts it into a page; nothing of Node may be left in it. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    build: { write: false, lib: { entry: ENTRY, formats: ["iife"], name: "mgrClient" } },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !("output" in result)) throw new Error("vite has built nothing");
  return result.output[0].code;
}

let instance: Instance;
let browser: SharedBrowser;
let code: string;
beforeAll(async () => {
  [code, browser, instance] = await Promise.all([
    bundle(),
    sharedBrowser(),
    Instance.up({ processes: { "tools/echo": { command: ECHO }, bad: { command: "echo last words; exit 3", ready: { regex: "never" } } } }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

/** A page of the manager's origin that holds no session yet: the text that says that the manager lives. */
async function openPage(host = "localhost"): Promise<Page> {
  const page = await (await browser.newContext({ bypassCSP: true })).newPage();
  const address = new URL("/mgr/health", instance.url);
  address.hostname = host;
  await page.goto(address.href);
  await page.addScriptTag({ content: code });
  return page;
}

describe("mgr/client in a browser", () => {
  it("contains no code of Node", () => {
    expect(code).not.toMatch(/require\(|from ?"(node:|ws)|Buffer\./);
  });

  it("logs in with user and password, and has the same handles", async () => {
    const page = await openPage();
    const { user, password } = instance;
    const seen = await page.evaluate(
      async (login) => {
        const client = await mgrClient.connect(globalThis.origin, login);
        const echo = client.process("tools/echo");
        const { state } = await echo.start();
        await echo.write("from a page\n");
        const [heard] = await echo.waitForOutput(/from a page/);
        await client.group("tools").stop();
        const failure = await client
          .process("bad")
          .start()
          .catch((error: unknown) => error as InstanceType<typeof mgrClient.MgrError>);
        client.close();
        return { state, heard, failure: "code" in failure ? [failure.code, failure.message] : null };
      },
      { user, password },
    );
    expect(seen).toEqual({
      state: "started",
      heard: "from a page",
      failure: ["conflict", expect.stringMatching(/'bad' failed: exit code 3[\s\S]*last words/)],
    });
    // The session cookie is enough from now on.
    expect(await page.evaluate(async () => (await (await mgrClient.connect(globalThis.origin)).snapshot()).processes.length)).toBe(2);
  });

  /** Code and words of the refusal that a page gets. */
  const refusal = (page: Page, url: string, options: object) =>
    page.evaluate(
      async ([address, given]) => {
        const outcome = await mgrClient.connect(address, given).then(
          (client) => client.close(),
          (error: unknown) => error,
        );
        return outcome instanceof mgrClient.MgrError ? [outcome.code, outcome.message] : ["no MgrError", String(outcome)];
      },
      [url, options] as const,
    );

  it("gets the manager's own message if the login is refused, or the auth file is open to others", async () => {
    const page = await openPage();
    const login = { user: instance.user, password: instance.password };
    expect(await refusal(page, instance.url, { ...login, password: "wrong" })).toEqual([
      "forbidden",
      expect.stringMatching(/^401: Unknown user or wrong password/),
    ]);
    chmodSync(instance.authFile, 0o644);
    try {
      expect(await refusal(page, instance.url, login)).toEqual(["forbidden", expect.stringMatching(/^403: .*(others|chmod)/)]);
    } finally {
      chmodSync(instance.authFile, 0o600);
    }
    // With neither login nor session: a page is not told why a WebSocket was refused.
    expect(await refusal(page, instance.url, {})).toEqual(["host_unavailable", expect.stringContaining("could not be opened")]);
  });

  it("is refused from a page of another origin, also with a valid login, with an error", async () => {
    const page = await openPage("127.0.0.1");
    const login = { user: instance.user, password: instance.password };
    expect(await refusal(page, instance.url, login)).toEqual([
      "host_unavailable",
      expect.stringContaining("does not accept pages of another origin"),
    ]);
    expect(await refusal(page, instance.url, {})).toEqual(["host_unavailable", expect.stringContaining("could not be opened")]);
    expect(await refusal(page, "http://127.0.0.1:9", login)).toEqual(["host_unavailable", expect.stringContaining("http://127.0.0.1:9")]);
  });

  it("reports what a page cannot send, misspelled options, and a wrong token", async () => {
    const page = await openPage();
    for (const options of [{ cookie: "c" }, { pasword: "x" }, { view: { single_proces: "a" } }])
      expect((await refusal(page, instance.url, options))[0]).toBe("bad_field");
    expect((await refusal(page, instance.url, { token: "t" }))[0]).toBe("forbidden");
  });

  it("shows the frames of a focused view, as in Node", async () => {
    const page = await openPage();
    const names = await page.evaluate(
      async (login) => {
        const client = await mgrClient.connect(globalThis.origin, { ...login, view: { single_group: "tools" } });
        const { processes } = await client.snapshot();
        client.close();
        return processes.map(({ name }) => name);
      },
      { user: instance.user, password: instance.password },
    );
    expect(names).toEqual(["tools/echo"]);
  });
});
