import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type PeerTraffic, PeerTrafficBook } from "../../src/bus/carriers/peer-traffic.ts";
import { tcpInfo } from "../../src/daemon/native/tcp-info.ts";

const WEB = { kind: "web", name: "http" } as const;
const server = createServer({ allowHalfOpen: true });
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  if (!server.listening) return;
  server.close();
  await once(server, "close");
});

/** Both ends of a new connection, its own one first. */
async function connection(): Promise<{ own: Socket; peer: Socket }> {
  if (!server.listening) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const peer = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  const [own] = await accepted;
  sockets.push(own, peer);
  own.resume();
  peer.resume();
  return { own, peer };
}

async function send(from: Socket, to: Socket, bytes: number): Promise<void> {
  let left = bytes;
  const arrived = new Promise<void>((resolve) => {
    const take = ({ length }: Buffer) => {
      left -= length;
      if (left > 0) return;
      to.off("data", take);
      resolve();
    };
    to.on("data", take);
  });
  from.write(Buffer.alloc(bytes, "x"));
  await arrived;
}

async function close(...ends: Socket[]): Promise<void> {
  const gone = ends.map((socket) => once(socket, "close"));
  for (const socket of ends) socket.end();
  await Promise.all(gone);
}

/** The only account. */
function only(book: PeerTrafficBook): PeerTraffic {
  const [account, ...others] = book.totals();
  if (account === undefined || others.length > 0) throw new Error("there is not exactly one account");
  return account;
}

it("traffic counts what was written, read, received and acknowledged of all connections of a peer", async () => {
  const book = new PeerTrafficBook(tcpInfo);
  for (const _ of [1, 2]) {
    const { own, peer } = await connection();
    book.follow(own, WEB);
    await send(own, peer, 100_000);
    await send(peer, own, 30_000);
  }
  // The last acknowledgement may still be on its way.
  await expect
    .poll(() => only(book))
    .toMatchObject({ ...WEB, peer: "127.0.0.1", written: 200_000, acknowledged: 200_000, read: 60_000, received: 60_000 });
  const { segments_out, segments_delivered, segments_in, rtt_us } = only(book);
  expect(segments_out).toBeGreaterThanOrEqual(2);
  expect(segments_delivered).toBe(segments_out);
  expect(segments_in).toBeGreaterThanOrEqual(2);
  expect(rtt_us).toBeGreaterThan(0);
});

it("no counter shrinks when connections end, although the kernel forgets them and counts their ends as bytes", async () => {
  const book = new PeerTrafficBook(tcpInfo);
  const [one, other] = [await connection(), await connection()];
  for (const { own, peer } of [one, other]) {
    book.follow(own, WEB);
    await send(own, peer, 50_000);
    await send(peer, own, 20_000);
  }
  const before = only(book);
  // Half closed: the peer has said its last word.
  const ended = once(one.own, "end");
  one.peer.end();
  await ended;
  const half = only(book);
  await close(one.own);
  const after = only(book);
  await close(other.own, other.peer);
  const last = only(book);
  for (const [earlier, later] of [
    [before, half],
    [half, after],
    [after, last],
  ] as const)
    for (const key of ["written", "read", "acknowledged", "received", "segments_out", "segments_delivered", "segments_in"] as const)
      expect(later[key], key).toBeGreaterThanOrEqual(earlier[key]);
  expect(last).toMatchObject({ written: 100_000, read: 40_000, rtt_us: null });
});

it("a connection that ends before it is read is counted, too", async () => {
  const book = new PeerTrafficBook(tcpInfo);
  const { own, peer } = await connection();
  book.follow(own, WEB);
  await send(own, peer, 1_000);
  await send(peer, own, 500);
  await close(own, peer);
  expect(only(book)).toMatchObject({ written: 1_000, acknowledged: expect.any(Number), read: 500, segments_in: expect.any(Number) });
  expect(only(book).segments_out).toBeGreaterThan(0);
  expect(only(book).segments_in).toBeGreaterThan(0);
});

it("a connection whose purpose changes is counted under the new one, and keeps its earlier counts", async () => {
  const book = new PeerTrafficBook(tcpInfo);
  const { own, peer } = await connection();
  book.follow(own, WEB);
  await send(own, peer, 1_000);
  book.follow(own, { kind: "web", name: "websocket" });
  await send(own, peer, 7_000);
  const bytes = () => Object.fromEntries(book.totals().map(({ name, written }) => [name, written]));
  expect(bytes()).toEqual({ http: 1_000, websocket: 7_000 });
  await close(own, peer);
  expect(bytes()).toEqual({ http: 1_000, websocket: 7_000 });
});
