import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HostSession } from "../../../src/app/hosts/host-session.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { busHostLink, serveHost } from "../../../src/bus/host-link/host-link.ts";
import type { HostLink } from "../../../src/contract/host-link.ts";
import { MAX_STREAMS, STREAM_CHUNK, STREAM_WINDOW, type StreamFrame } from "../../../src/contract/streams.ts";
import { Host } from "../../../src/daemon/host.ts";
import { BusRig } from "../../bus/bus-rig.ts";
import { freePort } from "../../support/free-port.ts";

const MIB = 1_048_576;
const HUNDRED_MB = 100_000_000;

/** A host behind a bus, a manager's session with it, and a TCP server that the host can reach. */
class Rig implements AsyncDisposable {
  session!: HostSession;
  port = 0;
  /** Connections that the server has. */
  readonly served: Socket[] = [];
  /** Frames for which it returns true are lost on the way, in either direction. */
  loses: (frame: StreamFrame) => boolean = () => false;
  #bus!: BusRig;
  #host!: Host;
  #server!: Server;
  #stop = () => {};

  static async open(): Promise<Rig> {
    const rig = new Rig();
    rig.#bus = await BusRig.start();
    const [manager, control, bulk] = await Promise.all([rig.#bus.bus("manager"), rig.#bus.bus("control"), rig.#bus.bus("bulk")]);
    // The manager of this host is in the same process, so the session lasts however slow the machine is.
    rig.#host = new Host({ host: "bench", subreaper: false, isDirect: true, log: () => {} });
    const lossy = lossyHost(rig.#host, (frame) => rig.loses(frame));
    const served = serveHost({ control, bulk, host: lossy });
    const link = busHostLink(manager, "bench");
    await manager.flush();
    rig.#stop = () => served.close();
    const ignore = () => {};
    const listener = {
      onHeartbeat: ignore,
      onOutput: ignore,
      onLog: ignore,
      onReport: ignore,
      onEvent: ignore,
      onStopping: ignore,
      onStale: ignore,
    };
    rig.session = new HostSession({ link, epoch: 1, clock: systemClock, listener });
    rig.#server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", ignore);
      rig.served.push(socket);
    }).listen(0, "127.0.0.1");
    await once(rig.#server, "listening");
    rig.port = (rig.#server.address() as AddressInfo).port;
    await rig.session.greet();
    rig.session.deliver();
    return rig;
  }

  /** Both ends of a new connection. */
  async pair(): Promise<[Duplex, Socket]> {
    const stream = await this.session.connect({ host: "127.0.0.1", port: this.port });
    while (this.served.length === 0) await once(this.#server, "connection");
    return [stream, this.served.pop() as Socket];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.close();
    this.#stop();
    for (const socket of this.served) socket.destroy();
    this.#server.close();
    await this.#host.close();
    await this.#bus[Symbol.asyncDispose]();
  }
}

function lossyHost(host: Host, loses: (frame: StreamFrame) => boolean): HostLink & { announce(): void } {
  return {
    host: host.host,
    request: (name, request) => host.request(name, request),
    window: (windows) => host.window(windows),
    heartbeat: (session) => host.heartbeat(session),
    stream: (frame) => void (loses(frame) || host.stream(frame)),
    listen: (listener) => host.listen({ ...listener, onStream: (frame) => void (loses(frame) || listener.onStream?.(frame)) }),
    announce: () => host.announce(),
    close: () => host.close(),
  };
}

/** So many bytes that are not all alike, in pieces. */
function* pieces(total: number): Generator<Buffer> {
  const block = randomBytes(MIB);
  for (let left = total; left > 0; left -= block.length) {
    block.writeUInt32BE(left, 0);
    yield Buffer.from(block.subarray(0, Math.min(left, block.length)));
  }
}

async function send(to: Duplex, total: number): Promise<string> {
  const hash = createHash("sha256");
  for (const piece of pieces(total)) {
    hash.update(piece);
    if (!to.write(piece)) await once(to, "drain");
  }
  to.end();
  return hash.digest("hex");
}

/** To the end of one direction; an iterator would end the other one as well. */
async function received(from: Duplex): Promise<{ bytes: number; hash: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  from.on("data", (chunk: Buffer) => {
    hash.update(chunk);
    bytes += chunk.length;
  });
  from.resume();
  await once(from, "end");
  return { bytes, hash: hash.digest("hex") };
}

async function text(from: Duplex): Promise<string> {
  let read = "";
  from.on("data", (chunk: Buffer) => {
    read += chunk;
  });
  await once(from, "end");
  return read;
}

// Only what hangs takes so long: a busy machine needs a minute for a hundred megabytes.
describe("a TCP forward", { timeout: 600_000 }, () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.open();
  });
  afterEach(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it("carries 100 MB in both directions at the same time, byte for byte", async () => {
    const [here, there] = await rig.pair();
    const [sentHere, sentThere, gotHere, gotThere] = await Promise.all([
      send(here, HUNDRED_MB),
      send(there, HUNDRED_MB),
      received(here),
      received(there),
    ]);
    expect(gotThere).toEqual({ bytes: HUNDRED_MB, hash: sentHere });
    expect(gotHere).toEqual({ bytes: HUNDRED_MB, hash: sentThere });
  });

  it("has two directions that end independently", async () => {
    const [here, there] = await rig.pair();
    here.end("question");
    expect(await text(there)).toBe("question");
    there.end("answer");
    expect(await text(here)).toBe("answer");
    if (!here.closed) await once(here, "close");
  });

  it("reports why no address could be reached", async () => {
    const port = freePort();
    await expect(rig.session.connect({ host: "127.0.0.1", port })).rejects.toMatchObject({
      code: "conflict",
      message: `no program listens at 127.0.0.1:${port}`,
    });
    await expect(rig.session.connect({ host: "no-such-host.invalid", port: 80 })).rejects.toMatchObject({ code: "not_found" });
  });

  it("holds no more than the windows for a slow reader, and delivers everything later", async () => {
    const [here, there] = await rig.pair();
    let accepted = 0;
    // As much as anybody takes: the far program writes until it is told to wait, for good.
    const total = 64 * MIB;
    const sending = send(there, total).then((hash) => hash);
    here.pause();
    let before = -1;
    while (here.readableLength !== before || before === 0) {
      before = here.readableLength;
      await new Promise((resolve) => setTimeout(resolve, 100));
      accepted = there.bytesWritten;
    }
    expect(here.readableLength).toBeLessThanOrEqual(STREAM_WINDOW + STREAM_CHUNK);
    // Beside our windows the kernel's buffers of the socket hold some.
    expect(accepted).toBeLessThan(total / 2);
    const got = await received(here);
    expect(got).toEqual({ bytes: total, hash: await sending });
  });

  it("repeats what was lost, in either direction and of any kind", async () => {
    const [here, there] = await rig.pair();
    let frames = 0;
    rig.loses = ({ kind }) => kind !== "reset" && ++frames % 23 === 0;
    const total = 3 * MIB;
    const [sentHere, sentThere, gotHere, gotThere] = await Promise.all([
      send(here, total),
      send(there, total),
      received(here),
      received(there),
    ]);
    expect(gotThere).toEqual({ bytes: total, hash: sentHere });
    expect(gotHere).toEqual({ bytes: total, hash: sentThere });
    expect(frames).toBeGreaterThan(200);
  });

  it("loses nothing on a lossy link after the remote program has closed", async () => {
    const [here, there] = await rig.pair();
    here.end("question");
    expect(await text(there)).toBe("question");
    // All data after the first megabyte is lost until the far program is gone.
    const total = MIB + STREAM_WINDOW / 2;
    let isGone = false;
    rig.loses = ({ kind, offset }) => kind === "data" && offset >= MIB && !isGone;
    const got = received(here);
    const sent = send(there, total);
    await once(there, "close");
    // The host has said all that it has to say by its first probe.
    setTimeout(() => (isGone = true), 500);
    expect(await got).toEqual({ bytes: total, hash: await sent });
    if (!here.closed) await once(here, "close");
    expect(here.errored).toBeNull();
  });

  it("delivers everything to a slow program, also after the end of the stream", async () => {
    const [here, there] = await rig.pair();
    there.end();
    here.resume();
    there.pause();
    // Some more than the kernel's buffers and the windows hold: the rest waits in the host's own queue.
    const total = 16 * MIB;
    const sent = send(here, total);
    const hash = createHash("sha256");
    let bytes = 0;
    const over = once(there, "end");
    there.on("data", (chunk: Buffer) => {
      hash.update(chunk);
      bytes += chunk.length;
      there.pause();
      setTimeout(() => there.resume(), 1);
    });
    there.resume();
    await over;
    expect({ bytes, hash: hash.digest("hex") }).toEqual({ bytes: total, hash: await sent });
  });

  it("ends at both ends when the session does", async () => {
    const [here, there] = await rig.pair();
    const failed = once(here, "error");
    there.on("end", () => there.end()).resume();
    const gone = once(there, "close");
    rig.session.drop();
    expect((await failed)[0]).toMatchObject({ code: "host_unavailable" });
    // The host hears it from the stream, or from the next hello at the latest.
    await rig.session.greet();
    await gone;
  });

  it("ends when the remote program resets it", async () => {
    const [here, there] = await rig.pair();
    const failed = once(here, "error");
    there.resetAndDestroy();
    expect((await failed)[0]).toMatchObject({ code: "host_unavailable" });
  });

  it(`is refused beyond ${MAX_STREAMS} at a time, and its place is free again when it is closed`, async () => {
    const all: Duplex[] = [];
    for (let count = 0; count < MAX_STREAMS; count++) all.push((await rig.pair())[0]);
    await expect(rig.session.connect({ host: "127.0.0.1", port: rig.port })).rejects.toMatchObject({ code: "busy" });
    const [first] = all;
    first?.destroy();
    let isFree = false;
    while (!isFree)
      isFree = await rig.pair().then(
        () => true,
        () => false,
      );
  });
});
