import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WebhookWay } from "../../../../src/features/notifications/config-ways.ts";
import { bodyOf } from "../../../../src/features/notifications/manager/deliveries/formats.ts";
import { targetOf } from "../../../../src/features/notifications/manager/deliveries/ways.ts";
import { sendWebhook } from "../../../../src/features/notifications/manager/deliveries/webhook.ts";
import { EXAMPLE } from "../example-notification.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server;
let origin: string;
let base: string;
let received: Received[];
let answer: (response: ServerResponse, request: Received) => void;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "mgr-webhook-"));
  received = [];
  answer = (response) => response.end("ok");
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const got = { path: request.url ?? "", headers: request.headers, body };
    received.push(got);
    answer(response, got);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(base, { recursive: true });
});

const send = (way: Partial<WebhookWay>) =>
  sendWebhook({
    way: { url: `${origin}/hook`, format: "json", token: null, routing_key: null, timeout: 60_000, ...way },
    notification: EXAMPLE,
    instance: "bench",
    base,
    signal: new AbortController().signal,
  });
const secret = (name: string, text: string, mode = 0o600) => {
  writeFileSync(join(base, name), `${text}\n`, { mode });
  chmodSync(join(base, name), mode);
  return { file: name, env: null };
};

test("a webhook gets the notification as JSON, with the key that all attempts have, and the token of a file", async () => {
  expect(await send({ token: secret("token", "s3cret") })).toEqual({ kind: "sent", text: "200: ok" });
  expect(received).toHaveLength(1);
  expect(received[0]?.headers).toMatchObject({
    "idempotency-key": EXAMPLE.key,
    "content-type": "application/json",
    authorization: "Bearer s3cret",
  });
  expect(JSON.parse(received[0]?.body ?? "")).toEqual({ instance: "bench", ...EXAMPLE });
});

test.each([
  [503, {}, { kind: "again" }],
  [500, { "retry-after": "7" }, { kind: "again", afterMs: 7_000 }],
  [429, { "retry-after": "999999" }, { kind: "again", afterMs: 3_600_000 }],
  [404, {}, { kind: "refused" }],
  [302, { location: "/elsewhere" }, { kind: "refused" }],
])("an answer %i with %o is %o", async (status, headers, outcome) => {
  answer = (response) => response.writeHead(status, headers).end("no");
  expect(await send({})).toMatchObject(outcome);
  expect(received).toHaveLength(1);
});

test("a redirect is followed on the same origin, and on no other", async () => {
  answer = (response, { path }) => (path === "/hook" ? response.writeHead(308, { location: "/new" }).end() : response.end("moved"));
  expect(await send({})).toEqual({ kind: "sent", text: "200: moved" });
  expect(received.map(({ path, body }) => [path, body === received[0]?.body])).toEqual([
    ["/hook", true],
    ["/new", true],
  ]);
  answer = (response) => response.writeHead(307, { location: `${origin.replace("127.0.0.1", "localhost")}/new` }).end();
  expect(await send({})).toMatchObject({ kind: "refused", text: expect.stringContaining("redirect") });
  expect(received).toHaveLength(3);
});

test("a server that stalls is left after the time-out, also in the middle of its answer", async () => {
  answer = () => undefined;
  expect(await send({ timeout: 200 })).toEqual({ kind: "again", text: "no answer within 0.2 s" });
  answer = (response) => response.write("o");
  expect(await send({ timeout: 200 })).toEqual({ kind: "again", text: "no answer within 0.2 s" });
});

test("of an endless answer only the beginning is received, and the notification counts as sent", async () => {
  answer = (response) => {
    const more = () => {
      while (response.write("x".repeat(10_000)));
    };
    response.on("drain", more);
    more();
  };
  const outcome = await send({});
  expect(outcome).toEqual({ kind: "sent", text: `200: ${"x".repeat(200)}` });
});

test("a server that cannot be reached is tried again", async () => {
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await send({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ kind: "again", text: expect.stringContaining("ECONNREFUSED") });
  server = createServer().listen(0, "127.0.0.1");
});

test("the secrets of an address and a token are in no result and not in what is shown of a way", async () => {
  const url = secret("url", `${origin}/services/T0/B0/very-secret?key=another`);
  answer = (response, { path, headers }) => response.writeHead(500).end(`no ${path} ${headers.authorization}`);
  const token = { file: null, env: "NOTIFY_TEST_TOKEN" };
  process.env.NOTIFY_TEST_TOKEN = "tok-1";
  const outcome = await send({ url, token });
  delete process.env.NOTIFY_TEST_TOKEN;
  expect(received[0]?.path).toBe("/services/T0/B0/very-secret?key=another");
  expect(outcome).toEqual({ kind: "again", text: "500: no *** Bearer ***" });
  const way = { url: `${origin}/services/very-secret`, format: "slack" as const, token: null, routing_key: null, timeout: 1 };
  expect(targetOf({ webhook: way })).toBe(`slack: ${origin}`);
});

test.each([
  ["can be read by others", () => secret("open", "x", 0o644), "can be read by other users"],
  ["is empty", () => secret("empty", ""), "is empty"],
  ["has two lines", () => secret("two", "a\nb"), "more than one line"],
  ["is missing", () => ({ file: "none", env: null }), "cannot be read"],
  ["is a variable that is not set", () => ({ file: null, env: "NOTIFY_TEST_UNSET" }), "is not set where the manager runs"],
])("a secret that %s is an error that says so, and nothing is sent", async (_what, make, message) => {
  expect(await send({ url: make() })).toMatchObject({ kind: "again", text: expect.stringContaining(message) });
  expect(received).toEqual([]);
});

test("each format has the text, and gives what programs wrote no meaning", () => {
  const body = (format: WebhookWay["format"]) => bodyOf(format, { notification: EXAMPLE, instance: "bench", routingKey: "rk" });
  const slack = JSON.parse(body("slack").text);
  expect(slack.text).toBe("[bench] 2 problems, 1 over");
  expect(slack.blocks.map((block: { text: { type: string } }) => block.text.type)).toEqual(["plain_text", "plain_text"]);
  expect(slack.blocks[1].text.text).toContain("Problem: process sim/camera failed: <!channel> *bold* [link](http://evil) @all (3 times)");
  expect(slack.blocks[1].text.text).toContain("… and 4 more");

  const { text } = JSON.parse(body("mattermost").text);
  expect(text).toContain("\\*bold\\* \\[link\\]\\(http\\://evil\\) @\u2060all");
  const teams = JSON.parse(body("teams").text);
  expect(teams.attachments[0].contentType).toBe("application/vnd.microsoft.card.adaptive");
  expect(teams.attachments[0].content.body).toHaveLength(5);

  const ntfy = body("ntfy");
  expect(ntfy.headers).toEqual({ title: "[bench] 2 problems, 1 over", priority: "4", tags: "warning" });
  expect(ntfy.text.split("\n")[1]).toBe("Still: host robot-2 does not answer");

  const pagerduty = JSON.parse(body("pagerduty").text);
  expect(pagerduty).toMatchObject({
    routing_key: "rk",
    event_action: "trigger",
    dedup_key: `mgr/${EXAMPLE.key}`,
    payload: { source: "bench", timestamp: "2026-11-26T08:14:02.123Z" },
  });
});

test("the end of a single condition resolves the PagerDuty incident that its beginning has triggered", () => {
  const of = (status: "raised" | "recovered") => {
    const items = EXAMPLE.items.slice(0, 1).map((item) => ({ ...item, status }));
    return JSON.parse(
      bodyOf("pagerduty", { notification: { ...EXAMPLE, items, key: status, more: 0 }, instance: "bench", routingKey: "rk" }).text,
    );
  };
  expect(of("raised").event_action).toBe("trigger");
  expect(of("recovered")).toMatchObject({ event_action: "resolve", dedup_key: of("raised").dedup_key });
});
