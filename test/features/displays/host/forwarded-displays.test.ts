import { EventEmitter, once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Forwards } from "../../../../src/app/hosts/forwards.ts";
import type { RunReport } from "../../../../src/contract/run.ts";
import type { X11Waiting } from "../../../../src/features/displays/contract.ts";
import { openDisplay } from "../../../../src/features/displays/host/open-display.ts";
import { readSetup } from "../../../../src/features/displays/host/read-setup.ts";
import { tunnelX11 } from "../../../../src/features/displays/host/tunnel.ts";
import { setupPacket, type X11Authorization } from "../../../../src/features/displays/x11/setup.ts";
import { cookieIn, MIT_COOKIE } from "../../../../src/features/displays/x11/xauthority.ts";
import { HostRig, spec } from "../../../daemon/support/hosts.ts";

const FORWARDED = { forward: true } as const;
const real: X11Authorization = { name: MIT_COOKIE, data: new Uint8Array(16).fill(3) };

let rig: HostRig;
let forwards: Forwards;
let xServer: Server;
const news = new EventEmitter();
const announced: X11Waiting[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  rig = await HostRig.open();
  forwards = new Forwards(rig.host);
  announced.length = 0;
  rig.host.listen({
    onStream: (frame) => forwards.receive(frame),
    onNews: {
      x11: (waiting) => {
        announced.push(waiting);
        news.emit("x11");
      },
    },
  });
  xServer = createServer({ allowHalfOpen: true });
  xServer.listen(0, "127.0.0.1");
  await once(xServer, "listening");
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  xServer.close();
  await rig[Symbol.asyncDispose]();
});

interface Forwarded {
  run: RunReport;
  port: number;
  authority: string;
  cookie: X11Authorization;
}

/** A run with a forwarded display, as its program sees it. */
async function start(name: string): Promise<Forwarded> {
  rig.watch(name);
  const run = await rig.spawn(spec(name, 'echo "at $DISPLAY with $XAUTHORITY."; exec sleep 100000', { x11: FORWARDED }));
  await rig.said(name, /at .* with .*\./);
  const [, number, authority = ""] = /at 127\.0\.0\.1:(\d+) with (\/.*)\./.exec(rig.sent(name)) ?? [];
  const cookie = cookieIn(readFileSync(authority), { number: Number(number), hostName: "any", ip: null });
  if (cookie === null) throw new Error(`no cookie in ${authority}`);
  return { run, port: 6_000 + Number(number), authority, cookie };
}

async function client({ port }: Forwarded, authorization: X11Authorization | null): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(setupPacket({ isBigEndian: false, major: 11, minor: 0, authorization }));
  return socket;
}

async function nextAnnounced(): Promise<X11Waiting> {
  if (announced.length === 0) await once(news, "x11");
  return announced.shift() as X11Waiting;
}

function all(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve) => socket.once("end", () => resolve(Buffer.concat(chunks))).resume());
}

async function reasonFor(socket: Socket): Promise<string> {
  const answer = await all(socket);
  expect(answer[0]).toBe(0);
  return String(answer.subarray(8, 8 + (answer[1] ?? 0)));
}

const accept = async ({ connection }: X11Waiting) =>
  (await forwards.carry("x", (stream) => rig.host.request("x11_accept", { session: rig.session, stream, connection }))).end;

const openAtHost = async (display: number) =>
  (await forwards.carry("x", (stream) => rig.host.request("x11_connect", { session: rig.session, stream, display }))).end;

/** The X server's end of a client that the manager connects with it. */
async function tunnelled(waiting: X11Waiting): Promise<Socket> {
  const accepted = once(xServer, "connection") as Promise<[Socket]>;
  const display = `127.0.0.1:${(xServer.address() as AddressInfo).port - 6_000}`;
  const end = await accept(waiting);
  await tunnelX11(end, async () => ({ ...(await openDisplay({ display, authority: null })), authorization: real }));
  const [socket] = await accepted;
  sockets.push(socket);
  return socket;
}

const stop = (run: RunReport) =>
  rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGKILL", timeout_ms: 60_000 }] });

describe("a forwarded display", () => {
  it("connects clients of its run to the X server of the manager, which receives its own cookie", async () => {
    const shown = await start("shown");
    expect(statSync(shown.authority).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(shown.authority)).mode & 0o777).toBe(0o700);
    const window = await client(shown, shown.cookie);
    const waiting = await nextAnnounced();
    expect(waiting).toMatchObject({ run_id: shown.run.run_id, name: "shown" });
    const server = await tunnelled(waiting);
    expect(await readSetup(server)).toMatchObject({ isBigEndian: false, authorization: real });
    server.write("welcome");
    expect(String((await once(window, "data"))[0])).toBe("welcome");
    window.end("good bye");
    expect(String(await all(server))).toBe("good bye");
    await expect(accept(waiting)).rejects.toThrow(/does not wait any more/);
  });

  it("ends with its run: connections, port and cookie file", async () => {
    const shown = await start("shown");
    const window = await client(shown, shown.cookie);
    const server = await tunnelled(await nextAnnounced());
    const closed = [window, server].map((socket) => new Promise((resolve) => socket.resume().once("close", resolve)));
    const ended = rig.event(shown.run, "extinct");
    server.on("end", () => server.end());
    window.on("end", () => window.end());
    await stop(shown.run);
    await ended;
    await Promise.all(closed);
    expect(existsSync(dirname(shown.authority))).toBe(false);
    const next = await start("next");
    expect(Buffer.from(next.cookie.data).equals(Buffer.from(shown.cookie.data))).toBe(false);
    await reasonFor(await client(next, shown.cookie)).then((reason) => expect(reason).toMatch(/cookie is missing or wrong/));
  });

  it("announces a client again until the manager accepts it", async () => {
    const shown = await start("shown");
    const window = await client(shown, shown.cookie);
    const lost = await nextAnnounced();
    const again = await nextAnnounced();
    expect(again).toEqual(lost);
    const server = await tunnelled(again);
    server.end("welcome");
    expect(String(await all(window))).toBe("welcome");
  });

  it("refuses clients while there is no manager, with a reason, and passes them to the next one", async () => {
    const shown = await start("shown");
    const early = await client(shown, shown.cookie);
    await nextAnnounced();
    // The session of the manager before is void, as after a cut link.
    await rig.hello(2, 2);
    expect(await reasonFor(early)).toMatch(/the link to the manager was lost/);
    // It was announced again each second until then.
    announced.length = 0;
    const late = await client(shown, shown.cookie);
    const server = await tunnelled(await nextAnnounced());
    server.end("welcome");
    expect(String(await all(late))).toBe("welcome");
    expect(rig.log.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/'shown': an X client was refused: the link/));
  });

  it("is not created for a run that cannot be started", async () => {
    const broken = spec("broken", "true", { x11: FORWARDED, cwd: "/nowhere/at/all" });
    await expect(rig.spawn(broken)).rejects.toThrow();
    const shown = await start("shown");
    expect(existsSync(dirname(shown.authority))).toBe(true);
    expect(existsSync(dirname(shown.authority).replace(shown.run.run_id, "1-1"))).toBe(false);
  });
});

describe("the X server of a display of a host", () => {
  it("is opened for the manager", async () => {
    const display = 54_321 + (process.pid % 1_000);
    const there = createServer((socket) => socket.end("an X server")).listen(`\0/tmp/.X11-unix/X${display}`);
    try {
      await once(there, "listening");
      const stream = await openAtHost(display);
      expect(String(await all(stream as Socket))).toBe("an X server");
    } finally {
      there.close();
    }
    await expect(openAtHost(display)).rejects.toThrow(/X display ':\d+' cannot be reached/);
  });
});
