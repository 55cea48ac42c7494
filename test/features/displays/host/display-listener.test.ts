import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { DisplayListener } from "../../../../src/features/displays/host/display-listener.ts";
import { readSetup } from "../../../../src/features/displays/host/read-setup.ts";
import { setupPacket, type X11Authorization, type X11Setup } from "../../../../src/features/displays/x11/setup.ts";
import { MIT_COOKIE } from "../../../../src/features/displays/x11/xauthority.ts";

const cookie: X11Authorization = { name: MIT_COOKIE, data: new Uint8Array(16).fill(0x5a) };
const wrong: X11Authorization = { name: MIT_COOKIE, data: new Uint8Array(16).fill(0x5b) };
const packet = (isBigEndian: boolean, authorization: X11Authorization | null = cookie) =>
  setupPacket({ isBigEndian, major: 11, minor: 0, authorization });

const OTHER_USER = 65_534;
/** When it is told to: opens 60 connections that say nothing, then one that sends the cookie; prints what that one is told. */
const STRANGER = `import socket, sys
print("ready", flush=True)
sys.stdin.readline()
silent = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(60)]
last = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
last.sendall(bytes.fromhex(sys.argv[2]))
print(last.recv(4096), flush=True)
sys.stdin.read()`;

const open: { close(): unknown }[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const one of open.splice(0)) one.close();
});

async function listen(onClient: (client: Socket, setup: X11Setup) => void = () => {}) {
  const refused: string[] = [];
  const listener = await DisplayListener.open({
    cookie,
    onClient,
    users: [process.geteuid?.() ?? 0],
    onRefused: (reason) => refused.push(reason),
  });
  open.push(listener);
  return { listener, refused };
}

async function client({ number }: DisplayListener): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: 6_000 + number, allowHalfOpen: true });
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Everything that comes until the end. */
async function answerTo(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe("an X display that passes its clients on", () => {
  it.each([true, false])(
    "gives a client with the cookie, its setup without the cookie and what follows (big-endian: %s)",
    async (isBig) => {
      const taken = new Promise<Socket>((resolve) => void listen(resolve).then(({ listener }) => send(listener)));
      const send = async (listener: DisplayListener) => {
        const socket = await client(listener);
        // In pieces, the last one with the first request.
        const bytes = Buffer.concat([packet(isBig), Buffer.from("request")]);
        for (const [from, to] of [
          [0, 1],
          [1, 11],
          [11, 40],
          [40, bytes.length],
        ]) {
          socket.write(bytes.subarray(from, to));
          await new Promise(setImmediate);
        }
        socket.end();
      };
      const socket = await taken;
      expect(await readSetup(socket)).toEqual({ isBigEndian: isBig, major: 11, minor: 0, authorization: null, length: 12 });
      expect(String(await answerTo(socket))).toBe("request");
    },
  );

  it.each([
    ["a wrong cookie", true, wrong],
    ["a wrong cookie, little-endian", false, wrong],
    ["none", false, null],
    ["the cookie by another method", true, { ...cookie, name: "XDM-AUTHORIZATION-1" }],
  ])("refuses %s with a reason in the client's byte order", async (_what, isBig, authorization) => {
    const { listener, refused } = await listen(() => expect.unreachable("it was let in"));
    const socket = await client(listener);
    socket.write(packet(isBig, authorization));
    const answer = await answerTo(socket);
    expect(answer[0]).toBe(0);
    expect(isBig ? answer.readUInt16BE(2) : answer.readUInt16LE(2)).toBe(11);
    expect(String(answer.subarray(8, 8 + (answer[1] ?? 0)))).toMatch(/cookie is missing or wrong/);
    expect(refused).toHaveLength(1);
  });

  it("closes a connection that speaks another protocol, or ends early", async () => {
    const { listener, refused } = await listen(() => expect.unreachable("it was let in"));
    const [web, early] = [await client(listener), await client(listener)];
    web.write("GET / HTTP/1.1\r\n\r\n");
    await answerTo(web);
    expect(refused).toEqual([expect.stringMatching(/does not speak X11/)]);
    early.end(packet(true).subarray(0, 20));
    await answerTo(early);
    expect(refused[1]).toMatch(/before its setup was complete/);
  });

  it("has a number that no other listener has, and disconnects its clients when it is closed", async () => {
    const first = await listen();
    const port = 6_000 + first.listener.number;
    await expect(occupy(port)).rejects.toThrow(/EADDRINUSE/);
    const second = await listen();
    expect(second.listener.number).not.toBe(first.listener.number);
    expect(second.listener.display).toBe(`127.0.0.1:${second.listener.number}`);
    const socket = await client(first.listener);
    socket.write(packet(false));
    const silent = await client(first.listener);
    // Both are known to the listener once a third one was refused.
    const last = await client(first.listener);
    last.write(packet(false, wrong));
    await answerTo(last);
    first.listener.close();
    for (const one of [socket, silent]) await answerTo(one);
  });

  it("lets a client with the cookie in, however many silent connections there are: the oldest gives way", async () => {
    const admitted = new EventEmitter();
    const { listener } = await listen((socket) => admitted.emit("client", socket));
    const silent: Socket[] = [];
    for (let count = 0; count < 40; count++) silent.push(await client(listener));
    const ended = Promise.all(silent.slice(0, 4).map(answerTo));
    const next = await client(listener);
    const isIn = once(admitted, "client");
    next.write(packet(false));
    await isIn;
    await ended;
    const newest = silent.at(-1) as Socket;
    const isNewestIn = once(admitted, "client");
    newest.write(packet(false));
    await isNewestIn;
    expect(newest.destroyed).toBe(false);
  });

  it("lets no other user in, also with the cookie, and drops silent connections of other users before its own", async () => {
    const admitted = new EventEmitter();
    const { listener, refused } = await listen((socket) => admitted.emit("client", socket));
    const unrelated = spawn(
      "/usr/bin/python3",
      ["-c", STRANGER, String(6_000 + listener.number), Buffer.from(packet(false)).toString("hex")],
      {
        uid: OTHER_USER,
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    open.push({ close: () => unrelated.kill("SIGKILL") });
    const lines = createInterface({ input: unrelated.stdout })[Symbol.asyncIterator]();
    await lines.next();
    // A client that has said nothing for three seconds is dropped: it does not wait for the start of a program.
    const first = await client(listener);
    unrelated.stdin.write("\n");
    expect((await lines.next()).value).toContain("belongs to another user");
    expect(refused.at(-1)).toMatch(/belongs to another user/);
    const isIn = once(admitted, "client");
    first.write(packet(false));
    await isIn;
    unrelated.kill("SIGKILL");
    await once(unrelated, "close");
  });

  it("has a limit on its clients", async () => {
    const admitted = new EventEmitter();
    const { listener } = await listen(() => admitted.emit("client"));
    for (let count = 0; count < 64; count++) {
      const socket = await client(listener);
      const isIn = once(admitted, "client");
      socket.write(packet(false));
      await isIn;
    }
    const next = await client(listener);
    next.write(packet(false));
    const answer = await answerTo(next);
    expect(String(answer.subarray(8))).toMatch(/64 X11 connections already/);
  });
});

describe("reading a setup packet", () => {
  it("has a deadline", async () => {
    const server: Server = createServer();
    open.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const socket = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    await expect(readSetup(socket, 20)).rejects.toThrow(/did not send its setup within 0.02 s/);
  });
});

async function occupy(port: number): Promise<void> {
  const server = createServer();
  open.push(server);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}
