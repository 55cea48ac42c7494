import { afterEach, expect, it, vi } from "vitest";
import { connect } from "../../src/client/browser.ts";

afterEach(() => void vi.unstubAllGlobals());

const answering = (status: number, text: string) => vi.stubGlobal("fetch", async () => new Response(text, { status }));

it.each([
  [401, "log in", "forbidden"],
  [403, "no auth file", "forbidden"],
  [429, "slow down", "busy"],
])("a login that is answered by %i rejects with the manager's words, before any WebSocket", async (status, text, code) => {
  answering(status, text);
  await expect(connect("http://bench:8130", { user: "ada", password: "wrong" })).rejects.toMatchObject({
    code,
    message: `${status}: ${text}`,
  });
});

it("a manager that is not running, or refuses pages of another origin, has an error of its own", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await expect(connect("http://bench:8130", { user: "ada" })).rejects.toMatchObject({
    code: "host_unavailable",
    message: expect.stringContaining("http://bench:8130"),
  });
});

it("a request that a page cannot send is refused at once", async () => {
  for (const options of [{ cookie: "c" }, { dial: () => {} }, { token: "mgr_a\r\nCookie: b" }])
    await expect(connect("http://bench:8130", options as object)).rejects.toMatchObject({ code: "bad_field" });
});

it("logs in with an access token", async () => {
  const authorizations: string[] = [];
  vi.stubGlobal("fetch", async (_: URL, { headers }: { headers: { authorization: string } }) => {
    authorizations.push(headers.authorization);
    return new Response("", { status: 401 });
  });
  await expect(connect("https://bench/", { token: "mgr_abc" })).rejects.toMatchObject({ code: "forbidden" });
  expect(authorizations).toEqual(["Bearer mgr_abc"]);
});

it("logs in with credentials of any characters, then opens the WebSocket of the view", async () => {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", async (url: URL, { headers, credentials }: { headers: { authorization: string }; credentials: string }) => {
    asked.push(url.href, Buffer.from(headers.authorization.slice(6), "base64").toString(), credentials);
    return new Response("", { status: 200 });
  });
  class Socket {
    onopen: (() => void) | null = null;
    readonly readyState = 1;
    readonly bufferedAmount = 0;
    constructor(url: URL) {
      asked.push(url.href);
      queueMicrotask(() => this.onopen?.());
    }
    close() {}
  }
  vi.stubGlobal("WebSocket", Socket);
  const client = await connect("https://bench/", { user: "ada", password: "pässword:€", view: { single_group: "a b" } });
  client.close();
  const login = ["https://bench/mgr/log?limit=1", "ada:pässword:€"];
  // First without the browser's own credentials: it would open a dialog where they are refused.
  expect(asked).toEqual([...login, "omit", ...login, "include", "wss://bench/ws?single_group=a+b"]);
});
