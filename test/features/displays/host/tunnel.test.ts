import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { joinStreams } from "../../../../src/bus/streams/join-streams.ts";
import { openDisplay } from "../../../../src/features/displays/host/open-display.ts";
import { readSetup } from "../../../../src/features/displays/host/read-setup.ts";
import { tunnelX11, type X11Connection } from "../../../../src/features/displays/host/tunnel.ts";
import { setupPacket } from "../../../../src/features/displays/x11/setup.ts";
import { MIT_COOKIE, xauthorityOf } from "../../../../src/features/displays/x11/xauthority.ts";

const real = { name: MIT_COOKIE, data: new Uint8Array(16).fill(9) };
const packet = setupPacket({ isBigEndian: true, major: 11, minor: 0, authorization: null });

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

function keep(socket: Socket): Socket {
  sockets.push(socket);
  socket.on("error", () => {});
  return socket;
}

/** Both ends of a connection. */
async function pair(): Promise<[Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const near = keep(connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, allowHalfOpen: true }));
  return [near, keep((await accepted)[0])];
}

/** Everything that comes until the other end ends its direction. */
function all(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve) => socket.once("end", () => resolve(Buffer.concat(chunks))).resume());
}

/** With or without an error. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

/** An X client and an X server with the tunnel between them. */
async function tunnel() {
  const [client, clientEnd] = await pair();
  const [server, serverEnd] = await pair();
  const done = tunnelX11(clientEnd, async (): Promise<X11Connection> => ({ stream: serverEnd, authorization: real }));
  return { client, server, clientEnd, serverEnd, done };
}

describe("the tunnel of an X client", () => {
  it("writes the cookie of the X server into the setup packet, and copies the rest both ways, whatever the pieces", async () => {
    const { client, server, done } = await tunnel();
    const [request, answer] = [randomBytes(3_000_000), randomBytes(2_000_000)];
    client.write(packet);
    client.end(request);
    await done;
    expect((await readSetup(server)).authorization).toEqual(real);
    server.end(answer);
    const [requested, answered] = await Promise.all([all(server), all(client)]);
    expect(requested.equals(request)).toBe(true);
    expect(answered.equals(answer)).toBe(true);
  });

  it("ends one direction without the other, and then closes", async () => {
    const { client, server, clientEnd, serverEnd, done } = await tunnel();
    const ended = Promise.all([clientEnd, serverEnd].map(closed));
    client.end(packet);
    await done;
    await readSetup(server);
    expect((await all(server)).length).toBe(0);
    server.end("still heard");
    expect(String(await all(client))).toBe("still heard");
    await ended;
  });

  it("reads no more from the X server than the client reads", async () => {
    const { client, server, serverEnd, done } = await tunnel();
    client.write(packet);
    await done;
    // The kernel's buffers are full once nothing more can be written in many turns.
    const block = Buffer.alloc(1 << 20);
    for (let blocks = 0; blocks < 512 && server.writableLength < 2 * block.length; blocks++) {
      server.write(block);
      for (let turns = 0; turns < 50; turns++) await turn();
    }
    expect(server.writableLength).toBeGreaterThanOrEqual(block.length);
    expect(serverEnd.readableLength).toBeLessThan(1 << 20);
  });

  it.each(["client", "server"] as const)("closes both when the %s is gone", async (which) => {
    const { done, clientEnd, serverEnd, ...ends } = await tunnel();
    ends.client.write(packet);
    await done;
    const ended = Promise.all([clientEnd, serverEnd].map(closed));
    ends[which].resetAndDestroy();
    await ended;
    expect([clientEnd.destroyed, serverEnd.destroyed]).toEqual([true, true]);
  });

  it("reports to the client why there is no X server", async () => {
    const [client, clientEnd] = await pair();
    client.write(packet);
    const answer = all(client);
    const connect = () => Promise.reject(new Error("the private display of 'ada' does not run"));
    await expect(tunnelX11(clientEnd, connect)).rejects.toThrow(/does not run/);
    const bytes = await answer;
    expect(bytes[0]).toBe(0);
    expect(String(bytes.subarray(8, 8 + (bytes[1] ?? 0)))).toBe("the private display of 'ada' does not run");
  });

  it("closes the connection to an X server if its client has disconnected meanwhile", async () => {
    const [client, clientEnd] = await pair();
    const [server, serverEnd] = await pair();
    client.write(packet);
    const ended = closed(serverEnd);
    await tunnelX11(clientEnd, async () => {
      clientEnd.destroy();
      return { stream: serverEnd, authorization: null };
    });
    await ended;
    expect((await all(server)).length).toBe(0);
  });
});

describe("joined streams", () => {
  it("are closed together", async () => {
    const [one, oneEnd] = await pair();
    const [, otherEnd] = await pair();
    joinStreams(oneEnd, otherEnd);
    const ended = closed(otherEnd);
    one.resetAndDestroy();
    await ended;
    expect(otherEnd.destroyed).toBe(true);
  });
});

describe("opening a display", () => {
  it("reads the cookie from the Xauthority file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mgr-x11-"));
    try {
      const server = createServer();
      servers.push(server);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const number = (server.address() as AddressInfo).port - 6_000;
      const authority = join(folder, "Xauthority");
      writeFileSync(authority, xauthorityOf(real.data));
      const opened = await openDisplay({ display: `127.0.0.1:${number}.0`, authority });
      keep(opened.stream);
      expect(opened.authorization).toEqual(real);
      const other = await openDisplay({ display: `127.0.0.1:${number}`, authority: join(folder, "none") });
      keep(other.stream);
      expect(other.authorization).toBeNull();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("reports a wrong name, or that there is no X server", async () => {
    for (const display of ["", "5", ":", ":70000", "/tmp/x:0", "host/unix:0:1"])
      await expect(openDisplay({ display, authority: null })).rejects.toThrow(/is not the name of an X display/);
    await expect(openDisplay({ display: ":59535", authority: null })).rejects.toThrow(/X display ':59535' cannot be reached: .*ENOENT/);
  });
});
