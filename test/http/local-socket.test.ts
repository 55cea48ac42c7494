import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { localUser } from "../../src/app/serve-http.ts";
import { ADMIN_GRANTS } from "../../src/base/access/access.ts";
import type { HttpServerOptions } from "../../src/http/index.ts";
import { makeCertificate } from "./certificates.ts";
import { BAD, Rig, upgradeRequest } from "./rig.ts";

let folder: string;
let path: string;
const ME = `local:${userInfo().username}`;

beforeEach(() => {
  folder = mkdtempSync("/tmp/mgr-local-");
  path = join(folder, "control.sock");
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (options: Partial<HttpServerOptions> = {}) => Rig.start({ localSocket: { path, identify: localUser }, ...options });

/** A request over the local socket. */
async function get(target: string, headers: Record<string, string> = {}) {
  const sent = request({ socketPath: path, path: target, headers: { host: "localhost", ...headers } });
  sent.end();
  const [response] = await once(sent, "response");
  return { status: response.statusCode as number, headers: response.headers, text: await text(response) };
}

async function openWebSocket(): Promise<WebSocket> {
  const ws = new WebSocket("ws://localhost/ws?log_only=1", { createConnection: () => connect(path) });
  await once(ws, "open");
  return ws;
}

describe("the local socket", () => {
  test.each([
    ["is not configured", (): Partial<HttpServerOptions> => ({ authFile: null })],
    ["is missing", (): Partial<HttpServerOptions> => ({ authFile: join(folder, "none") })],
  ])("admits its user while the auth file %s; the port stays closed", async (_, options) => {
    await using rig = await start(options());
    const response = await get("/mgr/log");
    expect(response).toMatchObject({ status: 200 });
    expect(response.headers["set-cookie"]).toBeUndefined();
    expect((await get("/mgr/log", { authorization: BAD })).status).toBe(200);
    expect((await rig.get("/mgr/log")).status).toBe(403);
    expect((await rig.get("/mgr/log", { authorization: "Bearer x" })).status).toBe(403);
  });

  test("names the system's user, for WebSockets too", async () => {
    await using rig = await start({ authFile: null });
    const ws = await openWebSocket();
    expect(rig.transport.accepted.map(({ options }) => options.principal)).toEqual([
      { user: ME, via: "local", address: "", grants: ADMIN_GRANTS },
    ]);
    ws.terminate();
  });

  test("is accessible to its owner alone, and removed at the end", async () => {
    const rig = await start();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await rig.close();
    expect(() => statSync(path)).toThrow("ENOENT");
    await rig[Symbol.asyncDispose]();
  });

  test("needs no TLS where there is HTTPS only", async () => {
    const certificate = makeCertificate(folder, "one");
    await using rig = await start({ certificate, isHttpsOnly: true });
    expect((await get("/mgr/log")).status).toBe(200);
    expect((await rig.get("/mgr/log")).status).toBe(308);
  });

  test("refuses foreign host names and origins as the port does", async () => {
    await using _rig = await start();
    expect((await get("/mgr/log", { host: "evil.example" })).status).toBe(403);
    expect((await get("/mgr/log", { origin: "http://evil.example" })).status).toBe(403);
  });

  test("refuses other users, whatever its file mode", async () => {
    await using rig = await start({ localSocket: { path, identify: () => ({ refused: "uid 4321" }) } });
    chmodSync(path, 0o666);
    const socket = connect(path);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    // An end, a reset or a broken pipe: the server reads nothing.
    socket.on("error", () => {});
    socket.write("GET /mgr/log HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    expect(answer).toBe("");
    expect(rig.logged.filter((line) => line.includes("uid 4321"))).toHaveLength(1);
  });

  test("reports a file in its place as an error, and the port is free again", async () => {
    const rig = await start();
    await expect(rig.listen({ localSocket: { path: rig.authFile, identify: localUser } })).rejects.toMatchObject({ code: "conflict" });
    await rig[Symbol.asyncDispose]();
  });

  test("does not delay the end of the manager", async () => {
    const rig = await start();
    const ws = await openWebSocket();
    const idle = connect(path);
    await once(idle, "connect");
    const following = request({ socketPath: path, path: "/mgr/log?follow=1", headers: { host: "localhost" }, agent: false });
    following.end();
    const [response] = await once(following, "response");
    response.resume();
    const ended = Promise.all([once(ws, "close"), once(idle, "close"), once(response, "close")]);
    await rig.close();
    await ended;
    expect([ws.readyState, idle.destroyed, response.complete]).toEqual([WebSocket.CLOSED, true, true]);
    await rig[Symbol.asyncDispose]();
  });

  test("gives a bus token the same rights as the port", async () => {
    await using _rig = await start();
    const socket = connect(path);
    socket.write(upgradeRequest("/mgr/bus", "localhost", { Authorization: "Bearer x" }));
    const [chunk] = await once(socket, "data");
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
  });
});
