import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Connections } from "../../src/http/server/connections.ts";
import { soak } from "../support/soak.ts";
import { ATTACKS, ended } from "./attackers.ts";
import { makeCertificate } from "./certificates.ts";
import { basic, GOOD, Rig, raw, upgradeRequest } from "./rig.ts";
import { startServerProcess } from "./server-process.ts";

const folder = mkdtempSync(join(tmpdir(), "mgr-attack-"));
let certificate: { certFile: string; keyFile: string };
beforeAll(() => {
  certificate = makeCertificate(folder, "attacked");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ANN = basic("ann", "secret");
/** Waves of ten of each attack, and crowds of 200 idle connections: more than the 1,024 that may be open. */
const WAVES = soak(10, 50);
const CROWDS = soak(15, 50);

/** One request on a connection of its own is answered. */
async function visit(port: number): Promise<void> {
  const sent = request({ host: "127.0.0.1", port, path: "/mgr/log", headers: { authorization: ANN }, agent: false });
  sent.end();
  const [response] = await once(sent, "response");
  await once(response.resume(), "end");
  expect(response.statusCode).toBe(200);
}

/** Resolves when the server has no more descriptors than that: it may learn later than this end that a connection is closed. */
async function comesBackTo(server: Awaited<ReturnType<typeof startServerProcess>>, most: number): Promise<void> {
  await expect.poll(async () => (await server.state()).descriptors, { timeout: 60_000, interval: 50 }).toBeLessThanOrEqual(most);
}

/** The same on one connection that is kept alive, one request after the other until `done`; how many were answered before it. */
async function visitAllTheTime(port: number, done: Promise<unknown>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let isDone = false;
  void done.finally(() => {
    isDone = true;
  });
  let answers = 0;
  while (!isDone) {
    const sent = request({ host: "127.0.0.1", port, path: "/mgr/health", agent });
    sent.end();
    const [response] = await once(sent, "response");
    await once(response.resume(), "end");
    expect(response.statusCode).toBe(200);
    if (!isDone) answers += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  agent.destroy();
  return answers;
}

// Thousands of connections take minutes while other programs have the processors.
describe("clients that do not complete a request are disconnected", { timeout: 600_000 }, () => {
  test.each(Object.keys(ATTACKS))("%s: disconnected at the deadline, while other clients are served", async (name) => {
    await using rig = await Rig.start({ certificate, deadlines: { opening: 500, headers: 400, request: 600, check: 50 } });
    // On a connection that is open before: a new one has the same short deadline, which a slow machine may exceed.
    const visitRig = async () => {
      const response = await rig.get("/mgr/log", { authorization: GOOD });
      await response.text();
      expect(response.status).toBe(200);
    };
    await visitRig();
    const attack = ATTACKS[name];
    const sockets = Array.from({ length: 20 }, () => attack?.({ port: rig.server.port, drip: 100 }) ?? expect.unreachable());
    const all = Promise.all(sockets.map(ended));
    while ((await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 50))])) === undefined) await visitRig();
    await all;
  });

  test(`${10 * WAVES} of each at once, with the real deadlines: all are disconnected, a good client is answered meanwhile, nothing is left of them`, async () => {
    await using server = await startServerProcess({ folder, certificate, openFiles: 16_384 });
    await visit(server.port);
    const before = await server.state();
    const kinds = Object.values(ATTACKS);
    const sockets: Promise<void>[] = [];
    // In waves, each behind a visit: what overflows the kernel's accept queue never becomes a connection of the server.
    for (let wave = 0; wave < WAVES; wave++) {
      for (const attack of kinds) for (let index = 0; index < 10; index++) sockets.push(ended(attack({ port: server.port, drip: 5_000 })));
      await visit(server.port);
    }
    const all = Promise.all(sockets);
    const answers = await visitAllTheTime(server.port, all);
    expect(answers).toBeGreaterThan(0);
    await visit(server.port);
    await comesBackTo(server, before.descriptors + 2);
    const after = await server.state();
    expect(after.rss - before.rss).toBeLessThan(128 * 1024 * 1024);
  });
});

describe("too many connections", { timeout: 600_000 }, () => {
  test("2,000 upgrades that are reset within 5 ms do not end the manager", async () => {
    await using server = await startServerProcess({ folder, certificate });
    const host = `127.0.0.1:${server.port}`;
    for (let round = 0; round < 20; round++) {
      const resets = Array.from({ length: 100 }, async (_, index) => {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => {});
        await once(socket, "connect");
        socket.write(upgradeRequest("/ws", host, { Authorization: index % 2 === 0 ? ANN : "Basic nonsense" }));
        await new Promise((resolve) => setTimeout(resolve, index % 6));
        socket.resetAndDestroy();
      });
      await Promise.all(resets);
    }
    await visit(server.port);
    expect((await server.state()).log).toEqual([]);
  });

  test(`of ${200 * CROWDS} idle connections the oldest are evicted, a new client is served, and everything is released`, async () => {
    await using server = await startServerProcess({ folder, certificate });
    await visit(server.port);
    const before = await server.state();
    const open = new Set<Socket>();
    let highest = 0;
    for (let round = 0; round < CROWDS; round++) {
      const connecting = Array.from({ length: 200 }, async () => {
        const socket = connect(server.port, "127.0.0.1");
        open.add(socket);
        socket.once("close", () => open.delete(socket));
        void ended(socket);
        await Promise.race([once(socket, "connect"), once(socket, "close")]);
      });
      await Promise.all(connecting);
      highest = Math.max(highest, (await server.state()).descriptors);
      if (round % 10 === 9) await visit(server.port);
    }
    expect(highest - before.descriptors).toBeLessThanOrEqual(1_100);
    // The news that the last ones were closed may still be on its way to this end.
    await expect.poll(() => open.size, { timeout: 60_000 }).toBeLessThanOrEqual(1_024);
    for (const socket of open) socket.destroy();
    await visit(server.port);
    await comesBackTo(server, before.descriptors + 2);
    const after = await server.state();
    expect(after.log).toEqual([]);
  });

  test("with few descriptors some are reserved for everything else", async () => {
    await using server = await startServerProcess({ folder, certificate, openFiles: 200 });
    const before = await server.state();
    const sockets = Array.from({ length: 1_000 }, () => connect(server.port, "127.0.0.1"));
    const all = Promise.all(sockets.map(ended));
    await visit(server.port);
    expect((await server.state()).descriptors).toBeLessThan(190);
    for (const socket of sockets) socket.destroy();
    await all;
    await visit(server.port);
    await comesBackTo(server, before.descriptors + 2);
  });

  test("out of descriptors: connections are cut or wait, users stay known, and new ones are accepted once there are some", async () => {
    await using server = await startServerProcess({ folder, certificate, openFiles: 300 });
    await visit(server.port);
    await server.state("hog");
    const refused = Array.from({ length: 50 }, () => connect(server.port, "127.0.0.1"));
    const cut = Promise.all(refused.slice(10).map(ended));
    // libuv cuts them by a spare descriptor, which another thread of the server may take from it: then they wait.
    const timer = new AbortController();
    await Promise.race([cut, pause(5_000, null, { signal: timer.signal }).catch(() => null)]);
    timer.abort();
    for (const socket of refused) socket.destroy();
    const { log } = await server.state("release");
    // A line for each connection would push everything else out of the log.
    expect(log.length).toBeLessThanOrEqual(3);
    await visit(server.port);
  });

  test("busy connections are kept: when all are busy, a new one gets 503 with Retry-After", async () => {
    // No deadline comes to its end here: who is cut is cut for its number.
    const never = 600_000;
    await using rig = await Rig.start({
      certificate,
      limits: { total: 3 },
      deadlines: { opening: never, headers: never, request: never, check: 50 },
    });
    const followers = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = connect(rig.server.port, "127.0.0.1");
        socket.write(`GET /mgr/log?follow HTTP/1.1\r\nHost: ${rig.host}\r\nAuthorization: ${GOOD}\r\n\r\n`);
        await once(socket, "readable");
        return socket;
      }),
    );
    const refused = await raw(rig.server.port, `GET /mgr/health HTTP/1.1\r\nHost: ${rig.host}\r\n\r\n`);
    expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*^Retry-After: 5\r$/m);
    await ended(ATTACKS["a lone 0x16"]?.({ port: rig.server.port, drip: 0 }) ?? expect.unreachable());
    expect(followers.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
    const gone = once(followers[0] ?? expect.unreachable(), "close");
    followers[0]?.destroy();
    await gone;
    await expect.poll(async () => (await rig.get("/mgr/health").catch(() => null))?.status, { timeout: 60_000 }).toBe(200);
    for (const socket of followers) socket.destroy();
  });
});

describe("the connection that is evicted", () => {
  /** Sockets of which only their end matters. */
  const socketFrom = (remoteAddress: string) => {
    const listeners: (() => void)[] = [];
    const socket = {
      remoteAddress,
      bytesRead: 10,
      bytesWritten: 1,
      destroyed: false,
      once: (_: string, listener: () => void) => listeners.push(listener),
      destroy() {
        socket.destroyed = true;
        for (const listener of listeners) listener();
      },
    };
    return socket as unknown as Socket;
  };

  test("is the oldest that has not begun a request, then the longest idle one, never a busy one", () => {
    const connections = new Connections({ total: 3, perAddress: 3 });
    const [busy, idle, opening, next, last] = Array.from({ length: 5 }, () => socketFrom("10.0.0.1")) as [
      Socket,
      Socket,
      Socket,
      Socket,
      Socket,
    ];
    for (const socket of [busy, idle, opening]) expect(connections.admit(socket)).toBe(true);
    connections.enter(busy, "busy");
    connections.enter(idle, "busy");
    connections.enter(idle, "idle");
    expect(connections.admit(next)).toBe(true);
    expect([busy, idle, opening].map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
    connections.enter(next, "busy");
    expect(connections.admit(last)).toBe(true);
    expect(idle.destroyed).toBe(true);
    connections.enter(last, "busy");
    expect(connections.admit(socketFrom("10.0.0.1"))).toBe(false);
    expect([connections.size, connections.turnedAway]).toEqual([3, 3]);
    expect(connections.traffic()).toEqual({ received: 50, sent: 5 });
    busy.destroy();
    expect(connections.admit(socketFrom("10.0.0.1"))).toBe(true);
  });

  test("is of the same address, or of the same IPv6 network; loopback has no limit of its own", () => {
    const connections = new Connections({ total: 100, perAddress: 2 });
    const mine = [socketFrom("2001:db8::1"), socketFrom("2001:db8::2")];
    const others = [socketFrom("10.0.0.1"), ...Array.from({ length: 50 }, () => socketFrom("127.0.0.1"))];
    for (const socket of [...mine, ...others]) expect(connections.admit(socket)).toBe(true);
    expect(connections.admit(socketFrom("2001:db8::3"))).toBe(true);
    expect(mine.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    expect(others.some(({ destroyed }) => destroyed)).toBe(false);
  });
});
