import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Client } from "../support/client.ts";
import { Fleet } from "../support/fleet.ts";
import { eventually } from "../support/wait.ts";
import { Stretch, type Truth, truthOf } from "./network-rig.ts";

const ADDRESS = "10.77.0.1";
const BUS_PORT = 4_333;
const AUTHORIZATION = `Basic ${Buffer.from("ada:correct horse").toString("base64")}`;
/** What the viewer sends, and then the display: 500 kB ten times a second, bytes. */
const [UP, DOWN, PIECES] = [2_000_000, 10_000_000, 20];
const FRAME = 50_000;
/** Requests of a WebSocket, downloads of the page, and messages of a bus client and their bytes. */
const [SNAPSHOTS, DOWNLOADS, MESSAGES, MESSAGE_BYTES] = [60, 10, 20, 100_000];
/** Stands for the VNC server of a host: takes all that the viewer sends, then sends its pieces. */
const SCREEN = `const net = require("node:net"); net.createServer((viewer) => { let got = 0, left = ${PIECES};
  const send = () => { if (left-- > 0) { viewer.write(Buffer.alloc(${DOWN / PIECES}, 7)); setTimeout(send, 100); } };
  viewer.on("error", () => {}); viewer.on("data", ({ length }) => { got += length; if (got === ${UP}) send(); });
}).listen(5901, "127.0.0.1", () => console.log("screen is up"));`;

/** Bytes at this end of the connections of one kind. */
interface Traffic {
  sent: number;
  received: number;
}
const KINDS = ["web vnc", "web websocket", "web http", "mgr_remote ada", "client bus"] as const;
type Kind = (typeof KINDS)[number];

let fleet: Fleet;
let local = "";
let stretch: Stretch;
let viewed = 0;
const sockets = new Map<Kind, Socket[]>(KINDS.map((kind) => [kind, []]));
/** What this end had counted whenever the kernel's counters were read. */
const counted = new WeakMap<ReadonlyMap<string, Truth>, Map<Kind, Traffic>>();

/** From machine `a`, so that its traffic has another end. */
let [port, busPort] = ["", ""];

function follow(kind: Kind, socket: Socket): void {
  sockets.get(kind)?.push(socket);
}

async function open(kind: Kind, path: string): Promise<WebSocket> {
  const ws = new WebSocket(`ws+unix://${port}:${path}`, { headers: { authorization: AUTHORIZATION }, perMessageDeflate: false });
  ws.once("upgrade", ({ socket }) => follow(kind, socket));
  await once(ws, "open");
  return ws;
}

async function download(path: string): Promise<string> {
  const request = get({ socketPath: port, path, headers: { authorization: AUTHORIZATION }, agent: false });
  request.once("socket", (socket) => follow("web http", socket));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return String(await buffer(response));
}

/** A client of the bus by hand: what it sends to itself comes back. */
async function busClient(): Promise<() => Promise<void>> {
  const socket = connect(busPort);
  follow("client bus", socket);
  let [text, bytes] = ["", 0];
  let wait = { for: /^PONG/m as RegExp | number, reached: () => {} };
  const check = () => {
    if (typeof wait.for === "number" ? bytes >= wait.for : wait.for.test(text)) wait.reached();
  };
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (typeof wait.for !== "number") text += chunk.toString("latin1");
    check();
  });
  const until = (what: RegExp | number) =>
    new Promise<void>((reached) => {
      wait = { for: what, reached };
      check();
    });
  socket.write(`CONNECT ${JSON.stringify({ user: "ada", pass: "correct horse", verbose: false })}\r\nSUB echo.test 1\r\nPING\r\n`);
  await until(/^PONG/m);
  return async () => {
    const before = bytes;
    for (let message = 0; message < MESSAGES; message++) socket.write(`PUB echo.test ${MESSAGE_BYTES}\r\n${"x".repeat(MESSAGE_BYTES)}\r\n`);
    await until(before + MESSAGES * MESSAGE_BYTES);
  };
}

async function view(viewer: WebSocket): Promise<void> {
  const isShown = new Promise<void>((resolve) => {
    viewer.on("message", (data: Buffer) => {
      viewed += data.length;
      if (viewed === DOWN) resolve();
    });
  });
  for (let sent = 0; sent < UP; sent += FRAME) viewer.send(Buffer.alloc(FRAME, 1));
  await isShown;
}

async function ask(client: Client): Promise<void> {
  for (let count = 0; count < SNAPSHOTS; count++) await client.snapshot();
}

beforeAll(async () => {
  fleet = await Fleet.up({
    hosts: ["a"],
    instance: { bus_listen: `${ADDRESS}:${BUS_PORT}` },
    processes: {
      screen: {
        command: [process.execPath, "-e", SCREEN],
        node: "a",
        autostart: true,
        ready: { regex: "screen is up" },
        vnc: { display: 1, port: 5901 },
      },
    },
  });
  const control = await fleet.connect();
  local = ((await control.snapshot()).manager as { host: string }).host;
  await eventually("the screen is up", async () => (await control.process("screen")).state === "ready");
  port = await fleet.tunnel("a", undefined, ADDRESS);
  busPort = await fleet.tunnel("a", BUS_PORT, ADDRESS);
  const client = new Client(await open("web websocket", "/ws"));
  const remote = new Client(await open("mgr_remote ada", "/ws?client=mgr_remote"));
  const viewer = await open("web vnc", "/mgr/vnc/ws?session=screen");
  const echo = await busClient();
  const page = await download("/");
  const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
  await eventually("the host is sampled", async () => {
    const { stats } = await control.ask({ type: "request_network_stats", sample_mode: "previous" });
    return (stats as Stretch["stats"]).interfaces.some(({ host }) => host === "a");
  });
  const read = async () => {
    const truths = new Map([["a", await truthOf(fleet, "a", ADDRESS)]]);
    const bytes = (kind: Kind): Traffic => ({
      sent: (sockets.get(kind) ?? []).reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
      received: (sockets.get(kind) ?? []).reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    });
    counted.set(truths, new Map(KINDS.map((kind) => [kind, bytes(kind)])));
    return truths;
  };
  stretch = await Stretch.measure(control, read, async () => {
    await Promise.all([view(viewer), ask(client), ask(remote), echo()]);
    for (let count = 0; count < DOWNLOADS; count++) await download(script);
  });
  client.ws.terminate();
  remote.ws.terminate();
  viewer.terminate();
  for (const socket of sockets.get("client bus") ?? []) socket.destroy();
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
});

test.each(KINDS)("%s: the link has the bytes that this end of its connections has sent and received", (name) => {
  const of = (key: keyof Traffic) => (truths: ReadonlyMap<string, Truth>) => counted.get(truths)?.get(name)?.[key] ?? Number.NaN;
  const [kind = "", child = ""] = name.split(" ");
  const down = stretch.child(local, "a", kind, child);
  const up = stretch.child("a", local, kind, child);
  stretch.expectKernel(`${name}: bytes that the manager has written`, down.bytes_s, of("received"));
  stretch.expectKernel(`${name}: bytes that were acknowledged`, down.measured_bytes_s, of("received"));
  stretch.expectKernel(`${name}: bytes that the manager's kernel has received`, up.bytes_s, of("sent"));
  stretch.expectKernel(`${name}: bytes that the manager has read`, up.measured_bytes_s, of("sent"));
});

test("a display's proxy counts what the viewer and the VNC server have exchanged, within 1 %", () => {
  expect(viewed).toBe(DOWN);
  const { sample_seconds } = stretch.stats;
  const down = stretch.child(local, "a", "web", "vnc");
  const up = stretch.child("a", local, "web", "vnc");
  for (const [rate, bytes] of [
    [down.bytes_s, DOWN],
    [down.measured_bytes_s, DOWN],
    [up.bytes_s, UP],
    [up.measured_bytes_s, UP],
  ] as const) {
    // Framing, and what the proxy has on top, counts too: never less than the display's own bytes.
    expect(rate * sample_seconds).toBeGreaterThan(bytes * 0.999);
    expect(rate * sample_seconds).toBeLessThan(bytes * 1.01);
  }
});

test("a forward that pushes 5 MB a second has the bytes of its program, at both ends, and is no loss", () => {
  const target = "localhost:5901";
  const down = stretch.child("a", local, "tcp_forward", target);
  const up = stretch.child(local, "a", "tcp_forward", target);
  stretch.expectRate("bytes that the program has sent", down.bytes_s, DOWN);
  stretch.expectRate("bytes that came out of the forward", down.measured_bytes_s, DOWN);
  stretch.expectRate("bytes that went into the forward", up.bytes_s, UP);
  stretch.expectRate("bytes that the program has received", up.measured_bytes_s, UP);
  expect(stretch.problems("loss")).toEqual([]);
  stretch.expectInterface("a", "eth0");
});

test("the totals of the links are what the interface of the host has carried: no byte counts twice", () => {
  const carried = (column: number) => truth((interfaces) => interfaces.get("eth0")?.[column] ?? Number.NaN);
  stretch.expectKernel("bytes to a", stretch.link(local, "a").measured_bytes_s, carried(0));
  stretch.expectKernel("bytes from a", stretch.link("a", local).bytes_s, carried(8));
});

function truth(of: (interfaces: Truth["interfaces"]) => number) {
  return (truths: ReadonlyMap<string, Truth>) => of(truths.get("a")?.interfaces ?? new Map());
}
