import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageRig, type ShownPage, soon } from "../../support/page-rig.ts";
import { eventually } from "../../support/wait.ts";

/** A program with a page that shows what the program has seen, the page's cookies, and the echo of a WebSocket. */
const SITE = `const { createServer } = require("node:http");
  const { WebSocketServer } = require(${JSON.stringify(createRequire(import.meta.url).resolve("ws"))});
  const page = (headers) => "<pre id=seen>" + JSON.stringify(headers) + "</pre><pre id=cookie></pre><pre id=echo></pre><script>" +
    "document.getElementById('cookie').textContent = '[' + document.cookie + ']'; const ws = new WebSocket('ws://' + location.host + '/');" +
    "ws.onopen = () => ws.send('hello'); ws.onmessage = (e) => document.getElementById('echo').textContent = 'echo ' + e.data;</script>";
  const server = createServer((q, s) => s.writeHead(200, { "content-type": "text/html" }).end(page(q.headers)));
  new WebSocketServer({ server }).on("connection", (ws) => ws.on("message", (data) => ws.send(String(data))));
  server.listen(0, "127.0.0.1", () => console.log("serving"));`;

let rig: PageRig;
let shown: ShownPage;
/** A program of this machine that greets its clients. */
let program: Server;

beforeAll(async () => {
  program = createServer((socket) => socket.on("error", () => {}).write("welcome")).listen(0, "127.0.0.1");
  await once(program, "listening");
  rig = await PageRig.up({
    processes: {
      db: { command: "sleep 1000" },
      site: { command: [process.execPath, "-e", SITE], autostart: true, ready: { regex: "serving" } },
    },
  });
  shown = await rig.open("/", { viewport: { width: 1440, height: 900 } });
});
afterAll(async () => {
  program.close();
  await rig?.[Symbol.asyncDispose]();
});

test("the overview lists forwards with their bytes, and its button closes one with its connections", async () => {
  const { port } = program.address() as AddressInfo;
  const command = rig.instance.start("forward", `0:localhost:${port}`, "-c", rig.instance.config);
  const [, local = ""] = await eventually("it listens", () => /127\.0\.0\.1:(\d+) leads to port/.exec(command.stdout));
  const socket = connect(Number(local), "127.0.0.1");
  await once(socket, "data");

  const row = shown.page.getByRole("table", { name: "Forwards" }).getByRole("row", { name: new RegExp(`:${port}`) });
  await row.getByText("7 B", { exact: true }).waitFor();
  await row.getByText("in use").waitFor();
  expect(await shown.violations()).toEqual([]);

  const closed = once(socket, "close");
  await row.getByRole("button", { name: /^Close the forward to .*:\d+$/ }).click();
  await closed;
  await row.waitFor({ state: "detached" });
  expect(await command.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("it was closed by 'ada'") });
  expect(rig.complaints).toEqual([]);
});

test("the details of a process open its port on a host name of its own, which has nothing of the manager", async () => {
  await eventually("the site serves", async () => (await rig.client.process("site")).state === "ready");
  const { page } = shown;
  await page.goto(new URL("/?process=site", page.url()).href);
  await page.getByRole("button", { name: "Details d" }).click();
  const opening = page.context().waitForEvent("page");
  await page.getByRole("button", { name: /^Open port \d+$/ }).click();
  const site = await opening;
  await soon(() => site.locator("#echo").textContent()).toBe("echo hello");
  expect(new URL(site.url()).hostname).toMatch(/^\d+-[a-z0-9-]+\.localhost$/);
  expect(await site.locator("#cookie").textContent()).toBe("[]");
  const seen = JSON.parse((await site.locator("#seen").textContent()) ?? "");
  expect(seen.host).toMatch(/^localhost:\d+$/);
  for (const header of ["cookie", "authorization", "referer"]) expect(seen).not.toHaveProperty(header);
  expect(rig.complaints).toEqual([]);
});
