import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttpServer, loadAssets } from "../../src/http/index.ts";
import { urlOf } from "../../src/http/request/remote-end.ts";
import { Listener } from "../../src/http/server/listener.ts";
import { accessOf } from "../support/access.ts";
import { GOOD, Rig, raw, readUntil, upgradeRequest } from "./rig.ts";

const uncaught = vi.fn();
beforeEach(() => {
  uncaught.mockReset();
  process.on("uncaughtException", uncaught);
  process.on("unhandledRejection", uncaught);
});
afterEach(() => {
  process.off("uncaughtException", uncaught);
  process.off("unhandledRejection", uncaught);
  expect(uncaught.mock.calls).toEqual([]);
});

describe("malformed requests are answered, and affect nothing else", () => {
  test.each([
    ["//", 404],
    ["//evil.example/ws", 404],
    ["/\\", 400],
    ["/\\evil.example", 400],
    ["http://[", 400],
    ["http://evil.example/", 200],
    ["*", 400],
    ["/%", 404],
    ["/%00", 404],
    ["/assets/../index.html", 404],
    ["/assets/%2e%2e/index.html", 404],
    ["/assets/..%2findex.html", 404],
    ["/?v=1&unknown=%ff", 200],
    ["/mgr/log?limit=1&limit=x&unknown=1", 200],
    [`/${"a".repeat(8_000)}`, 404],
    [`/${"a".repeat(20_000)}`, 431],
  ])("GET %s", async (target, status) => {
    await using rig = await Rig.start();
    const answer = await raw(
      rig.server.port,
      `GET ${target} HTTP/1.1\r\nHost: ${rig.host}\r\nConnection: close\r\nAuthorization: ${GOOD}\r\n\r\n`,
    );
    expect(answer.slice(0, 200)).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toMatch(/^X-Content-Type-Options: nosniff\r$/im);
    expect((await rig.get("/mgr/health")).status).toBe(200);
  });

  test.each([
    ["//", 404],
    ["/\\ws", 404],
    ["http://[", 400],
    ["http://127.0.0.1/ws", 400],
    ["*", 400],
    ["/%", 404],
  ])("upgrade of %s", async (target, status) => {
    await using rig = await Rig.start();
    const answer = await raw(rig.server.port, upgradeRequest(target, rig.host, { Authorization: GOOD }));
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m);
  });

  test.each([
    ["garbage\r\n\r\n", 400],
    ["GET / HTTP/1.1\r\n\r\n", 400],
    ["GET / HTTP/1.0\r\n\r\n", 400],
    ["GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403],
    ["GET / HTTP/1.1\r\nHost: localhost\r\nX-A: \x00\r\n\r\n", 400],
    ["POST /mgr/logout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400],
    ["POST /mgr/logout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", 413],
    ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
  ])("raw %j", async (request, status) => {
    await using rig = await Rig.start();
    expect(await raw(rig.server.port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test("text of a client never becomes a header of the answer", async () => {
    await using rig = await Rig.start();
    const injected = "%0d%0aX-Injected:%201";
    for (const path of [`/ws?single_process=a${injected}`, `/nowhere${injected}`]) {
      const upgraded = await raw(rig.server.port, upgradeRequest(path, rig.host, { Authorization: GOOD }));
      const head = upgraded.slice(0, upgraded.indexOf("\r\n\r\n"));
      expect(head).not.toMatch(/^X-Injected/im);
      expect((await rig.get(path, { authorization: GOOD })).headers.has("x-injected")).toBe(false);
    }
  });

  const good = { Authorization: GOOD };
  test.each([
    ["without Host", () => "GET / HTTP/1.1\r\n\r\n", 400, "The request has no Host header."],
    [
      "upgrade without Host",
      (host: string) => upgradeRequest("/ws", host, good).replace(/^Host.*\r\n/m, ""),
      400,
      "The request has no Host header.",
    ],
    [
      "upgrade without a key",
      (host: string) => upgradeRequest("/ws", host, good).replace(/^Sec-WebSocket-Key.*\r\n/m, ""),
      400,
      "Not a WebSocket handshake of version 13",
    ],
    [
      "upgrade of another version",
      (host: string) => upgradeRequest("/ws", host, good).replace("Version: 13", "Version: 7"),
      400,
      "Not a WebSocket handshake of version 13",
    ],
    ["upgrade by POST", (host: string) => upgradeRequest("/ws", host, good).replace("GET", "POST"), 405, "must be a GET request"],
    [
      "upgrade to the bus without a key",
      (host: string) => upgradeRequest("/mgr/bus", host, good).replace(/^Sec-WebSocket-Key.*\r\n/m, ""),
      404,
      "no bus",
    ],
    [
      "upgrade to nothing known, then more",
      (host: string) => `GET /nowhere HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${GOOD}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      404,
      "nowhere",
    ],
    [
      "an unknown expectation",
      (host: string) => `GET /nowhere HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${GOOD}\r\nExpect: much\r\nConnection: close\r\n\r\n`,
      404,
      "nowhere",
    ],
  ])("%s is answered with a sentence", async (_, request, status, sentence) => {
    await using rig = await Rig.start();
    const answer = await raw(rig.server.port, request(rig.host));
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^content-type: text\/plain; charset=utf-8\r?$/im);
    expect(body).toContain(sentence);
  });

  test("an unknown upgrade is ignored, the request is served", async () => {
    await using rig = await Rig.start();
    const request = `GET /mgr/health HTTP/1.1\r\nHost: ${rig.host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`;
    expect(await raw(rig.server.port, request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nok$/);
  });
});

test("100 requests go over one connection, and idle connections are kept for 75 s", async () => {
  await using rig = await Rig.start();
  const socket = connect(rig.server.port, "127.0.0.1");
  const paths = ["/", "/mgr/log?raw", "/mgr/health", "/icon.svg", "/nowhere"];
  for (let index = 0; index < 100; index++) {
    socket.write(`GET ${paths[index % paths.length]} HTTP/1.1\r\nHost: ${rig.host}\r\nAuthorization: ${GOOD}\r\n\r\n`);
    const answer = await readUntil(socket, isWhole);
    expect(answer).toMatch(/^Keep-Alive: timeout=75\r$/im);
  }
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /^content-length: (\d+)\r$/im.exec(answer.slice(0, end + 2));
  return length ? answer.length >= end + 4 + Number(length[1]) : answer.endsWith("0\r\n\r\n");
}

test("pipelined requests are answered in order", async () => {
  await using rig = await Rig.start();
  const one = (path: string, end = "") => `GET ${path} HTTP/1.1\r\nHost: ${rig.host}\r\n${end}\r\n`;
  const answer = await raw(rig.server.port, one("/mgr/health") + one("/nowhere") + one("/mgr/health", "Connection: close\r\n"));
  expect(answer.match(/HTTP\/1\.1 (\d+)/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 401", "HTTP/1.1 200"]);
});

test("connections reset in the middle of an upgrade do no harm", async () => {
  await using rig = await Rig.start();
  const resets = Array.from({ length: 200 }, async (_, index) => {
    const socket = connect(rig.server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(upgradeRequest("/ws", rig.host, { Authorization: index % 2 === 0 ? GOOD : "Basic nonsense" }));
    if (index % 3 > 0) await new Promise((resolve) => setImmediate(resolve));
    socket.resetAndDestroy();
  });
  await Promise.all(resets);
  expect((await rig.get("/mgr/health")).status).toBe(200);
});

test("a silent connection is closed at the deadline, and one that sends data is not", async () => {
  const listener = new Listener({
    onRequest: (_, response) => response.end("here"),
    onUpgrade: (_, socket) => socket.destroy(),
    log: () => {},
    // Also the limit for the one that speaks.
    deadlines: { opening: 1_500 },
  });
  const port = await listener.listen({ host: "127.0.0.1", port: 0 });
  const silent = connect(port, "127.0.0.1");
  const speaking = connect(port, "127.0.0.1");
  await once(speaking, "connect");
  speaking.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(silent.resume(), "close");
  expect(await readUntil(speaking, (text) => text.endsWith("here"))).toContain("200 OK");
  speaking.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await readUntil(speaking, (text) => text.endsWith("here"))).toContain("200 OK");
  speaking.destroy();
  await listener.close();
});

test("a half-closed silent connection is closed", async () => {
  await using rig = await Rig.start();
  const socket = connect({ port: rig.server.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end();
  await once(socket.resume(), "close");
  expect(socket.readableEnded).toBe(true);
});

test("a body larger than a socket buffer arrives whole behind the first byte", async () => {
  const bytes = 3_000_000;
  const listener = new Listener({
    async onRequest(request, response) {
      let length = 0;
      for await (const chunk of request) length += (chunk as Buffer).length;
      response.end(String(length));
    },
    onUpgrade: (_, socket) => socket.destroy(),
    log: () => {},
  });
  const port = await listener.listen({ host: "127.0.0.1", port: 0 });
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: new Uint8Array(bytes) });
  expect(await response.text()).toBe(String(bytes));
  await listener.close();
});

describe("a port that cannot be opened", () => {
  test("because it is taken is reported with port, pid and command", async () => {
    const other = createTcpServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const rig = await Rig.start();
    const attempt = createHttpServer({
      control: rig.control,
      access: accessOf(),
      extensions: [],
      transport: rig.transport,
      authFile: null,
      localSocket: null,
      listen: { host: "127.0.0.1", port },
      assets: loadAssets(rig.assetsDir),
      allowedHosts: [],
      allowedOrigins: [],
      certificate: null,
      isHttpsOnly: false,
      configFiles: () => [],
      lock: () => null,
      log: () => {},
    });
    await expect(attempt).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(new RegExp(`port ${port} .*pid ${process.pid} \\(.*node`)),
    });
    other.close();
    await rig[Symbol.asyncDispose]();
  });

  test("because its address is of another machine is reported with the address", async () => {
    const listener = new Listener({ onRequest: () => {}, onUpgrade: () => {}, log: () => {} });
    await expect(listener.listen({ host: "192.0.2.1", port: 0 })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("192.0.2.1"),
    });
  });
});

test("the address that is shown: a name or IP, localhost for every interface", () => {
  expect(["", "0.0.0.0", "::", "localhost", "10.0.0.1", "::1"].map((host) => urlOf("http", host, 80))).toEqual([
    "http://localhost:80",
    "http://localhost:80",
    "http://localhost:80",
    "http://localhost:80",
    "http://10.0.0.1:80",
    "http://[::1]:80",
  ]);
});

test("an empty host is every interface, IPv6 included", async () => {
  await using rig = await Rig.start({ listen: { host: "", port: 0 } });
  for (const host of ["127.0.0.1", "[::1]"]) {
    expect(await (await fetch(`http://${host}:${rig.server.port}/mgr/health`)).text()).toBe("ok");
  }
});

test("closing ends idle connections, silent ones, followers and open WebSockets", async () => {
  const rig = await Rig.start();
  const silent = connect(rig.server.port, "127.0.0.1");
  const idle = connect(rig.server.port, "127.0.0.1");
  idle.write(`GET /mgr/health HTTP/1.1\r\nHost: ${rig.host}\r\n\r\n`);
  await readUntil(idle, (text) => text.endsWith("ok"));
  const follower = connect(rig.server.port, "127.0.0.1");
  follower.write(`GET /mgr/log?follow HTTP/1.1\r\nHost: ${rig.host}\r\nAuthorization: ${GOOD}\r\n\r\n`);
  await readUntil(follower, (text) => text.includes("\r\n\r\n"));
  const webSocket = connect(rig.server.port, "127.0.0.1");
  webSocket.write(upgradeRequest("/ws", rig.host, { Authorization: GOOD }));
  await readUntil(webSocket, (text) => text.includes("\r\n\r\n"));
  const followed = readUntil(follower, (text) => text.endsWith("0\r\n\r\n"));
  const sockets = [silent, idle, follower, webSocket];
  await Promise.all([rig[Symbol.asyncDispose](), followed, ...sockets.map((socket) => once(socket.resume(), "close"))]);
  expect(sockets.every((socket) => socket.destroyed)).toBe(true);
});

test("closing does not wait for connections that never sent anything: browsers keep such in reserve", async () => {
  const rig = await Rig.start();
  const silent = connect(rig.server.port, "127.0.0.1");
  await once(silent, "connect");
  // The server accepts connections in order: it has this one, which the kernel would reset otherwise.
  expect((await rig.get("/mgr/health")).status).toBe(200);
  await Promise.all([rig[Symbol.asyncDispose](), once(silent.resume(), "close")]);
  expect(silent.destroyed).toBe(true);
});

test("a connection to a server that no longer exists is refused by the system, not left hanging", async () => {
  const rig = await Rig.start();
  const { url } = rig.server;
  await rig[Symbol.asyncDispose]();
  await expect(fetch(url)).rejects.toThrow();
});

test("node still serves connections by one listener of its own", () => {
  const server = createServer();
  expect(server.listenerCount("connection")).toBe(1);
  server.close();
});
