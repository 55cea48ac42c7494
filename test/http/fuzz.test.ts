import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { ADMIN_GRANTS } from "../../src/base/access/access.ts";
import { CLIENT_FRAMES, type ClientFrameType } from "../../src/protocol/frames/frames.ts";
import { Connection } from "../../src/transport/connection.ts";
import { ROUTES } from "../contract/http-routes.ts";
import { validFrames } from "../protocol/valid-frames.ts";
import { connectionServices } from "../support/fakes/connection-services.ts";
import { FakeControl } from "../support/fakes/fake-control.ts";
import { ODD_VALUES, pick, randomFrom } from "./fuzz-values.ts";
import { BAD, Rig, upgradeRequest } from "./rig.ts";

const REQUESTS = 10_000;
const FRAMES = 10_000;
const SEED = 20_261_121;
/** What has no answer by then hangs: many times what a busy machine takes, milliseconds. */
const HANG_MS = 60_000;
/** Turns of the event loop in which a frame is answered. */
const TURNS = 100;

const METHODS = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "BREW", "\0"];
const HEADERS = ["Host", "Origin", "Authorization", "Cookie", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"].concat(
  ["Sec-Fetch-Site", "Content-Length", "Transfer-Encoding", "Accept-Encoding", "If-None-Match", "Range", "Expect", "X-Odd"],
);

/** One odd request, as bytes. */
function oddRequest(random: () => number, host: string, cookie: string): string {
  const route = pick(random, ROUTES);
  // A whole archive for each would keep bzip2 busy for the whole run.
  const method = route.path === "/save-all" ? "HEAD" : pick(random, METHODS);
  const query = Object.keys({ ...route.query, unknown: 1 }).flatMap((name) => {
    const value = small(random);
    return value === undefined
      ? []
      : [`${name}=${random() < 0.5 ? encodeURIComponent(String(value)) : String(value).replace(/[\r\n ]/g, "")}`];
  });
  // A log-out would leave nobody logged in for the rest of the run.
  const isGood = route.path !== "/mgr/logout" && random() < 0.8;
  const login: Record<string, string> = isGood ? { Cookie: cookie } : { Authorization: BAD };
  const headers: Record<string, unknown> = { Host: host, Connection: "close", ...login };
  const oddity = pick(random, HEADERS);
  headers[oddity] = random() < 0.002 ? "x".repeat(1024 * 1024) : small(random);
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${String(value)}\r\n`]));
  const target = `${random() < 0.9 ? route.path : route.path.replace("/", pick(random, ["//", "/../", "/%2e%2e/", "/\\", "http://["]))}?${query.join("&")}`;
  if (random() < 0.1 && route.path !== "/save-all") {
    const odd = random() < 0.5 ? {} : { [oddity]: String(headers[oddity]) };
    return upgradeRequest(random() < 0.5 ? route.path : target, host, { ...login, ...odd });
  }
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${method === "POST" ? "x" : ""}`;
}

/** Values that fit into headers and addresses. */
function small(random: () => number): unknown {
  return pick(
    random,
    ODD_VALUES.filter((value) => typeof value !== "string" || value.length < 1_000),
  );
}

/** The beginning of the answer, "" if the server only closed. Rejects, naming the request, when nothing comes. */
function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1");
    const done = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(HANG_MS, () => {
      reject(new Error(`no answer to ${JSON.stringify(bytes.slice(0, 500))}`));
      socket.destroy();
    });
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (answer.includes("\r\n\r\n")) done();
    });
    // A server that refuses a megabyte of headers does not read it to its end: its answer may be lost in the reset.
    socket.on("error", () => {}).on("close", done);
    socket.write(bytes, "latin1");
  });
}

const descriptors = () => readdirSync("/proc/self/fd").length;

test(`${REQUESTS} random requests are each answered, change nothing and leave nothing behind`, async () => {
  await using rig = await Rig.start();
  const random = randomFrom(SEED);
  const cookie = await rig.cookie();
  const authFile = readFileSync(rig.authFile, "utf8");
  const [openBefore, memoryBefore] = [descriptors(), process.memoryUsage.rss()];
  const statuses = new Map<string, number>();
  const visitor = async () => {
    for (let index = 0; index < REQUESTS / 10; index++) {
      const bytes = oddRequest(random, rig.host, cookie);
      const answer = await send(rig.server.port, bytes);
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? (bytes.length > 100_000 ? "cut" : answer);
      expect(status, JSON.stringify(bytes.slice(0, 500))).toMatch(/^(\d{3}|cut)$/);
      expect(answer).not.toMatch(/^X-Injected/im);
      expect(["500", "502"], JSON.stringify(bytes.slice(0, 500))).not.toContain(status);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 10 }, visitor));
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  for (const status of ["101", "200", "400", "401", "403", "404", "405", "426", "429"])
    expect(statuses.get(status), status).toBeGreaterThan(0);
  expect(rig.control.calls).toEqual([]);
  expect(readFileSync(rig.authFile, "utf8")).toBe(authFile);
  expect(rig.logged.filter((line) => line.startsWith("error"))).toEqual([]);
  expect((await rig.get("/mgr/health")).status).toBe(200);
  for (const { ws } of rig.transport.accepted) ws.terminate();
  await expect.poll(descriptors, { timeout: 60_000 }).toBeLessThanOrEqual(openBefore + 5);
  expect(process.memoryUsage.rss() - memoryBefore).toBeLessThan(256 * 1024 * 1024);
}, 600_000);

test(`${FRAMES} random frames are each answered within ${TURNS} turns of the event loop and change nothing`, async () => {
  const control = new FakeControl(["sim/world", "db"]);
  const services = connectionServices(control);
  const sent: string[] = [];
  const socket = {
    send(data: Buffer, _options: unknown, done: () => void) {
      sent.push(String(data));
      setImmediate(done);
    },
    bufferedAmount: 0,
    cork() {},
    uncork() {},
  };
  const observer = { congested() {}, progress() {}, drained() {}, overflow: () => expect.unreachable("the outbox overflowed") };
  const principal = { user: "ada", via: "basic", address: "127.0.0.1:1", grants: ADMIN_GRANTS } as const;
  const connection = new Connection(services, { socket, observer, principal, client: null, view: { kind: "full" } });
  const stateBefore = JSON.stringify([control.processes(), control.processTree()]);
  const random = randomFrom(SEED);
  const ask = async (frame: object): Promise<void> => {
    sent.length = 0;
    connection.receive(JSON.stringify({ ...frame, request_id: 7 }));
    for (let turn = 0; sent.length === 0 && turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    const answers = sent.map((text) => JSON.parse(text) as { request_id?: unknown; code?: unknown });
    // Of a frame over the limit nothing is read, its request_id neither.
    const isAnswered = answers.some(({ request_id, code }) => request_id === 7 || code === "too_large");
    expect(isAnswered, JSON.stringify(frame).slice(0, 300)).toBe(true);
    expect(answers.map(({ code }) => code)).not.toContain("internal");
  };

  let asked = 0;
  const types = Object.keys(CLIENT_FRAMES) as ClientFrameType[];
  // Each field of each frame by each value, then several at a time.
  for (const type of types) {
    for (const field of Object.keys(CLIENT_FRAMES[type].fields)) {
      for (const value of ODD_VALUES) {
        await ask(odd(type, { [field]: value }));
        asked++;
      }
    }
  }
  while (asked++ < FRAMES) {
    const type = pick(random, types);
    const values = ODD_VALUES.filter((value) => typeof value !== "string" || value.length < 1_000 || random() < 0.1);
    await ask(odd(type, Object.fromEntries(Object.keys(CLIENT_FRAMES[type].fields).map((field) => [field, pick(random, values)]))));
  }
  expect(JSON.stringify([control.processes(), control.processTree()])).toBe(stateBefore);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  connection.close();
  services.hub.close();
}, 600_000);

/** A good frame of this type, about things that do not exist, with some fields replaced. */
function odd(type: ClientFrameType, fields: Record<string, unknown>): object {
  const frame: Record<string, unknown> = { ...validFrames[type] };
  if ("name" in frame) frame.name = "nobody";
  return { ...frame, ...fields };
}
