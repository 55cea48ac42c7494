import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Broker } from "../../../src/bus/broker/broker.ts";
import { anyText } from "../../support/any-text.ts";
import { Tcp, TOKEN } from "../carriers.ts";

/** 10,000 is what the suite has time for; MGR_FUZZ=1000000 npx vitest run test/bus/broker/broker-fuzz.test.ts goes on for longer. */
const INPUTS = Number(process.env.MGR_FUZZ ?? 10_000);
const CONNECT = `CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"auth_token":"${TOKEN}"}\r\n`;
const TIMEOUT_MS = 60_000;

const subject = fc.oneof(
  fc.constantFrom("a", "a.b", "a.*", ">", "a.>", "mgr.host.x.do.stop", "_INBOX.1", ".", "a..b", "$SYS.x", "", "ü.ö", "\0"),
  fc.string({ maxLength: 40 }),
);
const size = fc.oneof(fc.nat(200), fc.constantFrom(-1, 1_048_576, 1_048_577, 2 ** 31, 2 ** 53, "0x10", "1e3", "", "+5", "٣"));
const sid = fc.oneof(fc.nat(20), fc.string({ maxLength: 5 }));
const line = fc.oneof(
  fc.tuple(subject, size, fc.string({ maxLength: 200 })).map(([to, length, body]) => `PUB ${to} ${length}\r\n${body}\r\n`),
  fc
    .tuple(subject, subject, fc.nat(50), size)
    .map(([to, reply, head, all]) => `HPUB ${to} ${reply} ${head} ${all}\r\nNATS/1.0\r\nA: b\r\n\r\nbody\r\n`),
  fc.tuple(subject, sid).map(([to, id]) => `SUB ${to} ${id}\r\n`),
  fc.tuple(subject, subject, sid).map(([to, queue, id]) => `SUB ${to} ${queue} ${id}\r\n`),
  fc.tuple(sid, fc.oneof(fc.constant(""), size)).map(([id, max]) => `UNSUB ${id} ${max}\r\n`),
  fc.constantFrom(
    "PING\r\n",
    "PONG\r\n",
    "+OK\r\n",
    "-ERR 'x'\r\n",
    "\r\n",
    "\n",
    "INFO {}\r\n",
    "MSG a 1 1\r\nx\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    CONNECT,
  ),
  fc.json().map((json) => `CONNECT ${json}\r\n`),
  fc.constantFrom(
    "CONNECT \r\n",
    "CONNECT {\r\n",
    `CONNECT ${"[".repeat(3_000)}\r\n`,
    `CONNECT {"user":1}\r\n`,
    'CONNECT {"__proto__":{"verbose":1}}\r\n',
  ),
  anyText({ maxLength: 100 }),
  fc.constantFrom(
    `SUB ${"a.".repeat(1_900)}a 1\r\n`,
    `PUB ${"x".repeat(5_000)} 0\r\n\r\n`,
    "PUB ".repeat(1_000),
    `SUB ${"*.".repeat(500)}> 1\r\n`,
  ),
);
/** What a hostile client sends: usually after a proper greeting, lest nothing gets further than that, cut anywhere. */
const hostile = fc.record({
  greets: fc.nat(9).map((n) => n > 0),
  lines: fc.array(line, { minLength: 1, maxLength: 12 }),
  cuts: fc.array(fc.nat(2_000), { maxLength: 4 }),
  end: fc.constantFrom("end", "reset", "leave"),
});

function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

describe("hostile clients of the bus", () => {
  let tcp: Tcp;
  let defects: string[];
  const broker = (): Broker => {
    if (!tcp.broker) throw new Error("no broker");
    return tcp.broker;
  };
  const dial = () => {
    const socket = connect(tcp.port, "127.0.0.1");
    socket.on("error", () => {});
    return socket;
  };
  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));
  /** A well-behaved client still gets through, and its round trip is answered. */
  const isServed = async () => {
    const bus = await tcp.bus("honest");
    const answered = bus.request("fuzz.echo", "x", { timeoutMs: TIMEOUT_MS });
    await answered;
    await bus.close();
    while (
      broker()
        .stats()
        .clients.some(({ name }) => name === "honest")
    )
      await new Promise((resolve) => setImmediate(resolve));
  };

  const begin = async (authTimeoutMs: number) => {
    tcp = new Tcp(false, [], { authTimeoutMs, log: (level, msg) => level === "error" && defects.push(msg) });
    await tcp.begin();
    // In process: a connection is given up when this busy program leaves its pings without an answer for seconds.
    const echo = broker().port();
    echo.subscribe("fuzz.echo", ({ reply, data }) => {
      if (reply) echo.publish(reply, data);
    });
  };
  beforeEach(async () => {
    defects = [];
    // Long enough for honest clients on a busy machine.
    await begin(2_000);
  });
  afterEach(async () => {
    await tcp[Symbol.asyncDispose]();
    expect(defects).toEqual([]);
  });

  it(`survives ${INPUTS} inputs, and serves others between them`, { timeout: 60_000 + INPUTS * 10 }, async () => {
    const inputs = fc.sample(hostile, {
      numRuns: INPUTS,
    });
    const play = async ({ greets, lines, cuts, end }: (typeof inputs)[number]) => {
      // In process: no port is used up by ten thousand connections.
      const stream = broker().connectMemory({ authenticate: ({ token }) => (token === TOKEN ? { user: "hostile" } : null) });
      const gone = new Promise<void>((resolve) => stream.open({ data: () => {}, drained: () => {}, closed: () => resolve() }));
      for (const chunk of chunksOf(Buffer.from((greets ? CONNECT : "") + lines.join(""), "latin1"), cuts)) stream.write([chunk]);
      if (end === "end") stream.end();
      else if (end === "reset") stream.destroy();
      else {
        await new Promise((resolve) => setImmediate(resolve));
        stream.destroy();
      }
      await gone;
    };
    for (let from = 0; from < inputs.length; from += 500) {
      await Promise.all(inputs.slice(from, from + 500).map(play));
      await isServed();
    }
    // Nothing of them is left.
    expect(broker().stats()).toMatchObject({ subscriptions: 1, clients: [] });
  });

  it("survives the same over sockets, cut into single bytes", async () => {
    for (const { lines } of fc.sample(hostile, 50)) {
      const socket = dial();
      const gone = closed(socket);
      socket.resume();
      for (const byte of Buffer.from(CONNECT + lines.join(""), "latin1").subarray(0, 600)) socket.write(Buffer.of(byte));
      socket.end();
      await gone;
    }
    await isServed();
    await expect.poll(() => broker().stats().clients).toEqual([]);
  });

  it.each([
    ["a line without an end", "S".repeat(10_000), "Maximum Control Line Exceeded"],
    ["a payload before any credentials", "PUB a 1000000\r\n", "Authorization Violation"],
    ["half a frame for ever", "CONN", "Authentication Timeout"],
    ["nothing at all", "", "Authentication Timeout"],
  ])("disconnects a client that sends %s", async (_what, bytes, problem) => {
    const socket = dial();
    let said = "";
    socket.on("data", (chunk) => {
      said += chunk;
    });
    socket.write(bytes);
    await closed(socket);
    expect(said).toContain(`-ERR '${problem}'`);
    await isServed();
    await expect.poll(() => broker().stats().clients).toEqual([]);
  });

  it("closes a connection that sends a byte now and then and never finishes (slow loris)", async () => {
    const socket = dial();
    const gone = closed(socket);
    let isOver = false;
    void gone.then(() => {
      isOver = true;
    });
    socket.resume();
    for (const byte of CONNECT.repeat(10)) {
      if (isOver) break;
      socket.write(byte);
      // So slowly that not even the first line is complete in time.
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(isOver).toBe(true);
    await isServed();
    await expect.poll(() => broker().stats().clients).toEqual([]);
  });

  it("holds an incomplete message of an authorized client without stalling others, and drops it with the client", async () => {
    const halves = Array.from({ length: 20 }, () => dial());
    for (const socket of halves) socket.write(`${CONNECT}PUB a 1000000\r\n${"x".repeat(1_000)}`);
    await isServed();
    const all = Promise.all(halves.map(closed));
    for (const socket of halves) socket.destroy();
    await all;
    await isServed();
    await expect.poll(() => broker().stats().clients).toEqual([]);
  });

  it("accepts a thousand simultaneous connections, and serves others meanwhile", async () => {
    // Both ends of all are in this process: each needs its time.
    await tcp[Symbol.asyncDispose]();
    await begin(60_000);
    const sockets = Array.from({ length: 1_000 }, dial);
    const all = Promise.all(sockets.map(closed));
    for (const socket of sockets) {
      socket.resume();
      socket.write(`${CONNECT}SUB a 1\r\nPING\r\n`);
    }
    await isServed();
    while (
      broker()
        .stats()
        .clients.filter(({ user }) => user === "tester").length < 1_000
    )
      await isServed();
    expect(broker().stats().subscriptions).toBe(1 + 1_000);
    for (const socket of sockets) socket.destroy();
    await all;
    while (broker().stats().clients.length > 0) await isServed();
    expect(broker().stats().subscriptions).toBe(1);
  });
});
