import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import type { Credentials } from "../../../src/bus/broker/permissions.ts";
import { socketStream } from "../../../src/bus/carriers/byte-stream.ts";
import { BusRig, RawClient } from "../bus-rig.ts";

const QUIET = 'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n';

describe("the broker's protocol", () => {
  it("sends INFO before anything is received", async () => {
    await using rig = await BusRig.start({ name: "bench" });
    const client = await rig.raw();
    const info = JSON.parse(client.text.slice("INFO ".length));
    expect(client.text).toMatch(/^INFO \{.*\} \r\n$/);
    expect(info).toMatchObject({ server_name: "bench", proto: 1, headers: true, max_payload: 1024 * 1024 });
    expect(info.auth_required).toBeUndefined();
  });

  it("acknowledges each operation unless that is turned off", async () => {
    await using rig = await BusRig.start();
    const client = await rig.raw();
    const greeting = client.text.length;
    client.send("SUB a 1\r\nPUB a 2\r\nhi\r\nUNSUB 1\r\nPING\r\n");
    expect((await client.until((text) => text.includes("PONG"))).slice(greeting)).toBe("+OK\r\n+OK\r\nMSG a 1 2\r\nhi\r\n+OK\r\nPONG\r\n");
  });

  it("answers a request without a subscriber with status 503", async () => {
    await using rig = await BusRig.start();
    const client = await rig.raw();
    const greeting = client.text.length;
    client.send(`${QUIET}SUB answers.* 7\r\nPUB nobody answers.1 0\r\n\r\nPING\r\n`);
    expect((await client.until((text) => text.includes("PONG"))).slice(greeting)).toBe(
      "HMSG answers.1 7 16 16\r\nNATS/1.0 503\r\n\r\n\r\nPONG\r\n",
    );
  });

  it("removes the headers for a client that does not support them", async () => {
    await using rig = await BusRig.start();
    const [old, modern] = await Promise.all([rig.raw(), rig.raw()]);
    old.send('CONNECT {"verbose":false}\r\nSUB a 1\r\nPING\r\n');
    modern.send(`${QUIET}SUB a 1\r\nPING\r\n`);
    await Promise.all([old, modern].map((client) => client.until((text) => text.includes("PONG"))));
    modern.send("HPUB a 18 20\r\nNATS/1.0\r\nA: b\r\n\r\nhi\r\n");
    expect(await modern.until((text) => text.endsWith("hi\r\n"))).toContain("HMSG a 1 18 20\r\nNATS/1.0\r\nA: b\r\n\r\nhi\r\n");
    expect(await old.until((text) => text.endsWith("hi\r\n"))).toContain("\r\nMSG a 1 2\r\nhi\r\n");
  });

  it("passes subjects on unchanged, byte for byte", async () => {
    await using rig = await BusRig.start();
    const client = await rig.raw();
    client.send(
      Buffer.concat([
        Buffer.from(`${QUIET}SUB grün.> 1\r\nPUB grün.ä 1\r\nx\r\n`),
        Buffer.from([0x50, 0x55, 0x42, 0x20, 0xff, 0x20, 0x30, 13, 10, 13, 10]),
      ]),
    );
    client.send("PING\r\n");
    await client.until((text) => text.includes("PONG"));
    expect(client.received.toString("utf8")).toContain("MSG grün.ä 1 1\r\nx\r\n");
  });

  it.each([
    ["GET / HTTP/1.1\r\n\r\n", "Unknown Protocol Operation"],
    ["PUB a 1048577\r\n", "Maximum Payload Violation"],
    [`SUB ${"a".repeat(5_000)} 1\r\n`, "Maximum Control Line Exceeded"],
    ["CONNECT {no json\r\n", "Parser Error"],
    ['CONNECT {"verbose":1}\r\n', "Parser Error"],
    ["HPUB a 0 0\r\n\r\nHPUB a 12 12\r\nNATS/1.0\r\n\r\n\r\n", "Message Headers Not Supported"],
    ["PUB a 3\r\nxxxxx\r\n", "Parser Error"],
  ])("closes a client that sends %j, and no other", async (bytes, problem) => {
    await using rig = await BusRig.start();
    const [bad, good] = await Promise.all([rig.raw(), rig.raw()]);
    bad.send(bytes);
    expect(await bad.end()).toMatch(new RegExp(`-ERR '${problem}'\r\n$`));
    good.send(`${QUIET}PING\r\n`);
    expect(await good.until((text) => text.includes("PONG"))).toMatch(/PONG\r\n$/);
    expect(rig.broker.stats().clients).toHaveLength(1);
  });

  it("refuses an impossible subject and keeps the connection", async () => {
    await using rig = await BusRig.start();
    const client = await rig.raw();
    client.send(`${QUIET}SUB a..b 1\r\nPING\r\n`);
    expect(await client.until((text) => text.includes("PONG"))).toContain("-ERR 'Invalid Subject'\r\nPONG\r\n");
  });

  it("checks the subjects of publishes for pedantic clients only", async () => {
    await using rig = await BusRig.start();
    const client = await rig.raw();
    client.send(
      'CONNECT {"verbose":false,"pedantic":true}\r\nPUB a.* 0\r\n\r\nCONNECT {"verbose":false,"pedantic":false}\r\nPUB a.* 0\r\n\r\nPING\r\n',
    );
    const said = await client.until((text) => text.includes("PONG"));
    expect(said.match(/-ERR/g)).toHaveLength(1);
    expect(said).toContain("-ERR 'Invalid Publish Subject'\r\nPONG\r\n");
    client.send('CONNECT {"verbose":false,"pedantic":true}\r\nPUB a.* 0\r\n\r\nPING\r\n');
    expect(await client.until((text) => text.match(/PONG/g)?.length === 2)).toMatch(/-ERR 'Invalid Publish Subject'\r\nPONG\r\n$/);
  });

  it("refuses subscriptions beyond the limit of a connection, and closes connections beyond the limit", async () => {
    await using rig = await BusRig.start({ maxSubscriptions: 2, maxClients: 1 });
    const client = await rig.raw();
    const second = await RawClient.connect(rig.path);
    expect(await second.end()).toContain("-ERR 'Maximum Connections Exceeded'\r\n");
    client.send(`${QUIET}SUB a 1\r\nSUB b 2\r\nSUB a 1\r\nSUB c 3\r\nPING\r\n`);
    const refusal = `-ERR 'Permissions Violation for Subscription to "c": one connection may have at most 2 subscriptions'\r\n`;
    expect(await client.until((text) => text.includes("PONG"))).toContain(refusal);
    client.send("UNSUB 1\r\nSUB c 3\r\nPUB c 2\r\nok\r\n");
    expect(await client.until((text) => text.includes("ok"))).toMatch(/PONG\r\nMSG c 3 2\r\nok\r\n$/);
  });

  it("pings a silent client, and closes it after two pings without an answer", async () => {
    await using rig = await BusRig.start({ pingIntervalMs: 20 });
    const [dead, living] = await Promise.all([rig.raw(), rig.bus("living")]);
    expect((await dead.end()).slice(dead.text.indexOf("PING"))).toBe("PING\r\nPING\r\n-ERR 'Stale Connection'\r\n");
    expect(living.isConnected).toBe(true);
  });
});

describe("permissions and authentication", () => {
  it("refuses what the hook does not allow, and keeps the connection", async () => {
    await using rig = await BusRig.start();
    const server = createServer((socket) =>
      rig.broker.accept(socketStream(socket), {
        kind: "tcp",
        permissions: { publish: (subject) => subject !== "geheim.ü", subscribe: (subject, queue) => subject !== ">" && queue !== "q" },
      }),
    );
    const path = `${rig.path}.other`;
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const client = await RawClient.connect(path);
    client.send(`${QUIET}SUB > 1\r\nSUB a q 2\r\nSUB a 3\r\nPUB geheim.ü 0\r\n\r\nPUB a 0\r\n\r\nPING\r\n`);
    await client.until((text) => text.includes("PONG"));
    expect(client.received.toString("utf8")).toContain(
      `-ERR 'Permissions Violation for Subscription to ">"'\r\n-ERR 'Permissions Violation for Subscription to "a" using queue "q"'\r\n` +
        `-ERR 'Permissions Violation for Publish to "geheim.ü"'\r\nMSG a 3 0\r\n\r\nPONG\r\n`,
    );
    client.close();
    await new Promise((resolve) => server.close(resolve));
  });

  async function guarded(
    rig: BusRig,
    authenticate: (credentials: Credentials) => object | null,
  ): Promise<{ client: RawClient; close(): Promise<unknown> }> {
    const server = createServer((socket) => rig.broker.accept(socketStream(socket), { kind: "tcp", authenticate }));
    const path = `${rig.path}.guarded`;
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const client = await RawClient.connect(path);
    return { client, close: () => new Promise((resolve) => server.close(resolve)) };
  }

  it("requires credentials where they are configured, and refuses wrong ones and none", async () => {
    await using rig = await BusRig.start();
    for (const [sent, isWelcome] of [
      ['CONNECT {"auth_token":"s3cret","verbose":false}\r\nPING\r\n', true],
      ['CONNECT {"auth_token":"wrong","verbose":false}\r\nPING\r\n', false],
      ["PING\r\n", false],
      ["SUB > 1\r\n", false],
      ["PUB a 0\r\n\r\n", false],
    ] as const) {
      const { client, close } = await guarded(rig, ({ token }) => (token === "s3cret" ? {} : null));
      expect(client.text).toContain('"auth_required":true');
      client.send(sent);
      if (isWelcome) expect(await client.until((text) => text.includes("PONG"))).toMatch(/PONG\r\n$/);
      else expect(await client.end()).toMatch(/-ERR 'Authorization Violation'\r\n$/);
      client.close();
      await close();
    }
  });

  it("checks the permission to publish a subject again after another CONNECT, and remembers no refusal", async () => {
    await using rig = await BusRig.start();
    const asked: string[] = [];
    const authenticate = ({ token }: Credentials) => ({
      publish: (subject: string) => {
        asked.push(`${token} ${subject}`);
        return subject === token;
      },
    });
    const { client, close } = await guarded(rig, authenticate);
    const publish = "PUB a 0\r\n\r\nPUB b 0\r\n\r\n".repeat(3);
    for (const token of ["a", "b"]) client.send(`CONNECT {"auth_token":"${token}","verbose":false,"pedantic":false}\r\n${publish}`);
    client.send("PING\r\n");
    const said = await client.until((text) => text.includes("PONG"));
    expect(said.match(/-ERR '[^\r]*/g)).toEqual([..."bbbaaa"].map((subject) => `-ERR 'Permissions Violation for Publish to "${subject}"'`));
    expect(asked).toEqual(["a a", "a b", "a b", "a b", "b a", "b b", "b a", "b a"]);
    client.close();
    await close();
  });

  it("closes connections that do not authenticate in time", async () => {
    await using rig = await BusRig.start({ authTimeoutMs: 30 });
    const { client, close } = await guarded(rig, () => ({}));
    expect(await client.end()).toMatch(/-ERR 'Authentication Timeout'\r\n$/);
    await close();
  });
});

describe("the end of a connection", () => {
  it("loses nothing that the client published before it", async () => {
    await using rig = await BusRig.start();
    const reader = await rig.memoryBus("reader");
    let seen = 0;
    reader.subscribe("last.words", () => seen++);
    await reader.flush();
    const hasty = await rig.raw();
    hasty.socket.end(QUIET + `PUB last.words 100\r\n${"x".repeat(100)}\r\n`.repeat(20_000));
    await hasty.end();
    while (rig.broker.stats().clients.length > 1) await reader.flush();
    await reader.flush();
    expect(seen).toBe(20_000);
  });

  it("follows an error of a hook, for that client only, and is logged", async () => {
    const problems: string[] = [];
    await using rig = await BusRig.start({ log: (_level, msg) => problems.push(msg) });
    const unlucky = rig.broker.connectMemory({
      permissions: {
        publish: () => {
          throw new Error("hook defect");
        },
      },
    });
    const received: string[] = [];
    const closed = new Promise<void>((resolve) =>
      unlucky.open({ data: (bytes) => void received.push(Buffer.from(bytes).toString()), drained: () => {}, closed: () => resolve() }),
    );
    unlucky.write([Buffer.from(`${QUIET}SUB > 1\r\nPUB a 0\r\n\r\n`)]);
    await closed;
    expect(received.join("")).toMatch(/-ERR 'Internal Error'\r\n$/);
    expect(problems.join()).toContain("hook defect");
    const other = await rig.bus("other");
    await other.flush();
    expect(rig.broker.stats().clients.map((client) => client.name)).toEqual(["other"]);
  });
});

describe("bounds", () => {
  it("never delays a publisher for a subscriber that does not read: its oldest messages are dropped and counted", async () => {
    const warnings: string[] = [];
    await using rig = await BusRig.start({ maxPending: 1024 * 1024, log: (_level, msg) => warnings.push(msg) });
    const [slow, publisher] = await Promise.all([rig.raw(), rig.raw()]);
    slow.send(`${QUIET}SUB flood 1\r\nPING\r\n`);
    await slow.until((text) => text.includes("PONG"));
    slow.socket.pause();
    const body = (n: number) => `${n} `.padEnd(1_000, "x");
    publisher.send(QUIET);
    for (let n = 0; n < 4_000; n++) publisher.send(`PUB flood 1000\r\n${body(n)}\r\n`);
    publisher.send("PING\r\n");
    await publisher.until((text) => text.includes("PONG"));
    const stats = rig.broker.stats();
    const [subscriber] = stats.clients.filter((client) => client.subscriptions > 0);
    expect(stats.in_msgs).toBe(4_000);
    expect(subscriber?.dropped_msgs).toBeGreaterThan(1_000);
    expect(subscriber?.dropped_bytes).toBe(1_000 * (subscriber?.dropped_msgs ?? 0));
    expect(stats.dropped_msgs).toBe(subscriber?.dropped_msgs);
    // Beside the queue, what the connection was given in advance.
    expect(subscriber?.pending_bytes).toBeLessThan((1024 + 512) * 1024);
    expect(warnings).toHaveLength(1);
    // What it did get is whole and in order, the newest at the end, and it goes on once it reads again.
    const greeting = slow.text.indexOf("PONG\r\n") + 6;
    slow.socket.resume();
    const text = (await slow.until((all) => all.endsWith(`MSG flood 1 1000\r\n${body(3_999)}\r\n`))).slice(greeting);
    const received = [...text.matchAll(/MSG flood 1 1000\r\n(\d+) /g)].map(([, n]) => Number(n));
    expect(text).toBe(received.map((n) => `MSG flood 1 1000\r\n${body(n)}\r\n`).join(""));
    expect(received).toEqual([...received].sort((a, b) => a - b));
    expect(received.length).toBe(4_000 - (subscriber?.dropped_msgs ?? 0));
    // The broker hears a moment later than the reader that the kernel took the last bytes.
    const after = () => rig.broker.stats().clients.filter((client) => client.subscriptions > 0);
    await expect.poll(after).toMatchObject([{ out_msgs: received.length, pending_bytes: 0 }]);
  });

  it("lets another member of a queue group receive what a slow one cannot", async () => {
    await using rig = await BusRig.start({ maxPending: 64 * 1024 });
    const [slow, quick, publisher] = await Promise.all([rig.raw(), rig.raw(), rig.raw()]);
    for (const client of [slow, quick]) {
      client.send(`${QUIET}SUB work q 1\r\nPING\r\n`);
      await client.until((text) => text.includes("PONG"));
    }
    slow.socket.pause();
    publisher.send(QUIET);
    for (let n = 0; n < 400; n++) {
      publisher.send(`PUB work 4000\r\n${"x".repeat(4_000)}\r\nPING\r\n`);
      await publisher.until((text) => (text.match(/PONG/g)?.length ?? 0) > n);
    }
    slow.socket.resume();
    const received = () => [slow, quick].reduce((sum, { text }) => sum + (text.match(/MSG work/g)?.length ?? 0), 0);
    await expect.poll(received).toBe(400);
  });

  it("closes a client that sends requests without reading the answers", async () => {
    await using rig = await BusRig.start({ maxPending: 64 * 1024 });
    const client = await rig.raw();
    client.socket.pause();
    const flood = () => {
      while (!client.socket.destroyed && client.socket.write("PING\r\n".repeat(10_000)));
    };
    client.socket.on("drain", flood);
    flood();
    await expect.poll(() => rig.broker.stats().clients).toEqual([]);
    // No text could reach it: it stands behind what it has not read.
    client.close();
    await client.end();
  });

  it("keeps timers and other clients going during a flood", async () => {
    await using rig = await BusRig.start();
    const [flooder, reader, other] = await Promise.all([rig.raw(), rig.bus("reader"), rig.bus("other")]);
    let seen = 0;
    reader.subscribe("flood", () => seen++);
    await reader.flush();
    flooder.send(QUIET);
    const block = Buffer.from(`PUB flood 128\r\n${"x".repeat(128)}\r\n`.repeat(2_000));
    for (let n = 0; n < 50; n++) flooder.send(block);
    let ticks = 0;
    let roundTrips = 0;
    const timer = setInterval(() => ticks++, 1);
    while (seen < 100_000) {
      await other.flush();
      roundTrips++;
    }
    clearInterval(timer);
    // Without slices all of it would be done in a few turns: a handful of ticks and round trips.
    expect(ticks).toBeGreaterThan(10);
    expect(roundTrips).toBeGreaterThan(10);
    expect(rig.broker.stats().dropped_msgs).toBe(0);
  });

  it("frees the memory of a thousand clients that connect and disconnect", async () => {
    await using rig = await BusRig.start();
    for (let round = 0; round < 20; round++) {
      const clients = await Promise.all(Array.from({ length: 50 }, () => RawClient.connect(rig.path)));
      for (const client of clients) client.send(`${QUIET}SUB a.b.${round} 1\r\nSUB a.* q 2\r\nPING\r\n`);
      await Promise.all(clients.map((client) => client.until((text) => text.includes("PONG"))));
      expect(rig.broker.stats().subscriptions).toBe(100);
      for (const client of clients) client.close();
      const last = await RawClient.connect(rig.path);
      last.send(`${QUIET}PING\r\n`);
      await last.until((text) => text.includes("PONG"));
      last.close();
      while (rig.broker.stats().clients.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(rig.broker.stats()).toMatchObject({ clients: [], subscriptions: 0 });
  });
});

describe("the unix socket", () => {
  it("is of mode 0600 and is gone after close", async () => {
    const rig = await BusRig.start();
    expect(statSync(rig.path).mode & 0o777).toBe(0o600);
    await rig.broker.close();
    expect(existsSync(rig.path)).toBe(false);
    await rig[Symbol.asyncDispose]();
  });

  it("refuses a path that the system would cut", async () => {
    await using rig = await BusRig.start();
    const long = join(dirname(rig.path), "x".repeat(100));
    await expect(rig.broker.listenUnix(long)).rejects.toThrow(/has \d+ bytes, the system allows 107/);
  });

  it("is not taken over from another broker that serves it", async () => {
    await using rig = await BusRig.start();
    const second = createBroker();
    await expect(second.listenUnix(rig.path)).rejects.toMatchObject({ code: "conflict" });
    await second.close();
    expect((await rig.bus("still there")).isConnected).toBe(true);
  });

  it("is taken over if its owner ended without removing it", async () => {
    await using rig = await BusRig.start();
    const path = join(dirname(rig.path), "stale.sock");
    spawnSync(process.execPath, [
      "-e",
      `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`,
    ]);
    expect(existsSync(path)).toBe(true);
    await rig.broker.listenUnix(path);
    const client = await RawClient.connect(path);
    expect(client.text).toMatch(/^INFO /);
    client.close();
  });

  it("is created again when its folder was removed, also elsewhere; connections stay", async () => {
    await using rig = await BusRig.start();
    const folder = join(dirname(rig.path), "mgr");
    const elsewhere = join(dirname(rig.path), "elsewhere");
    let home = folder;
    const moves: string[] = [];
    const made = () => {
      mkdirSync(home, { recursive: true });
      return home;
    };
    const path = join(made(), "bus.sock");
    await rig.broker.listenUnix(path, { folder: made, moved: (to) => moves.push(to) });
    const first = await RawClient.connect(path);
    for (const next of [folder, elsewhere]) {
      const before = join(home, "bus.sock");
      home = next;
      rmSync(dirname(before), { recursive: true });
      await expect.poll(() => existsSync(join(next, "bus.sock"))).toBe(true);
      const client = await RawClient.connect(join(next, "bus.sock"));
      expect(client.text).toMatch(/^INFO /);
      client.close();
    }
    await expect.poll(() => moves).toEqual([join(elsewhere, "bus.sock")]);
    first.send("PING\r\n");
    await first.until((text) => text.includes("PONG"));
    expect(first.text).toContain("PONG");
    first.close();
    await rig.broker.close();
    expect(existsSync(join(elsewhere, "bus.sock"))).toBe(false);
  });

  it("never replaces a file that is not a socket", async () => {
    await using rig = await BusRig.start();
    const path = join(dirname(rig.path), "precious");
    writeFileSync(path, "data");
    await expect(rig.broker.listenUnix(path)).rejects.toMatchObject({ code: "conflict" });
    expect(existsSync(path)).toBe(true);
  });
});
