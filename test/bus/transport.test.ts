import { createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createBroker } from "../../src/bus/broker/broker.ts";
import { socketStream } from "../../src/bus/carriers/byte-stream.ts";
import { MAX_UNSENT_BYTES } from "../../src/bus/client/bus.ts";
import { connectBus } from "../../src/bus/client/connect-bus.ts";
import { BusRig } from "./bus-rig.ts";

describe("a bus connection", () => {
  it("waits for a broker that does not run yet", async () => {
    await using rig = await BusRig.start();
    await rig.broker.close();
    const connecting = rig.bus("early");
    rig.broker = createBroker();
    await rig.broker.listenUnix(rig.path);
    expect((await connecting).isConnected).toBe(true);
  });

  it("does not wait, or stops waiting, on request", async () => {
    await using rig = await BusRig.start();
    await rig.broker.close();
    await expect(rig.bus("hasty", { waitForBroker: false })).rejects.toMatchObject({ code: "host_unavailable" });
    const abort = new AbortController();
    const waiting = rig.bus("patient", { signal: abort.signal });
    setTimeout(() => abort.abort(), 30);
    await expect(waiting).rejects.toMatchObject({ code: "host_unavailable" });
  });

  it("reconnects with its subscriptions each time the broker restarts", async () => {
    await using rig = await BusRig.start();
    const bus = await rig.bus("faithful");
    const states: boolean[] = [];
    const seen: string[] = [];
    bus.onConnection((isConnected) => states.push(isConnected));
    bus.subscribe("news", (message) => seen.push(Buffer.from(message.data).toString()));
    for (let round = 0; round < 3; round++) {
      const lost = new Promise<void>((resolve) => bus.onConnection((isConnected) => !isConnected && resolve()));
      const back = new Promise<void>((resolve) => bus.onConnection((isConnected) => isConnected && resolve()));
      const unanswered = bus.request("silence", "", { timeoutMs: 60_000 });
      bus.subscribe("silence", () => {});
      unanswered.catch(() => {});
      await rig.broker.close();
      await lost;
      await expect(unanswered).rejects.toMatchObject({ code: "host_unavailable" });
      expect(bus.isConnected).toBe(false);
      expect(() => bus.publish("news", "lost")).toThrow(/is down; news was not sent/);
      rig.broker = createBroker();
      await rig.broker.listenUnix(rig.path);
      await back;
      bus.publish("news", `round ${round}`);
      await bus.flush();
    }
    expect(states).toEqual([false, true, false, true, false, true]);
    expect(seen).toEqual(["round 0", "round 1", "round 2"]);
  });

  it("can be closed while the broker is down", async () => {
    await using rig = await BusRig.start();
    const bus = await rig.bus("leaving");
    const lost = new Promise<void>((resolve) => bus.onConnection((isConnected) => !isConnected && resolve()));
    await rig.broker.close();
    await lost;
    const asked = bus.request("x", "", { timeoutMs: 60_000 });
    await expect(asked).rejects.toMatchObject({ code: "host_unavailable" });
    await bus.close();
    expect(bus.connection.isClosed()).toBe(true);
  });

  it("closes the connection to a server that does not speak the protocol", async () => {
    await using rig = await BusRig.start();
    const path = `${rig.path}.http`;
    const server = createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await expect(connectBus({ server: { kind: "unix", path }, name: "lost", waitForBroker: false })).rejects.toThrow(
      /does not speak the NATS protocol/,
    );
    await new Promise((resolve) => server.close(resolve));
  });

  it("refuses a socket path that the system would cut", async () => {
    await expect(connectBus({ server: { kind: "unix", path: `/tmp/${"x".repeat(120)}` }, name: "long" })).rejects.toMatchObject({
      code: "bad_field",
    });
  });

  it("sends its token, and reports why it is refused", async () => {
    await using rig = await BusRig.start();
    const path = `${rig.path}.guarded`;
    const server = createServer((socket) =>
      rig.broker.accept(socketStream(socket), { kind: "tcp", authenticate: ({ token }) => (token === "right" ? {} : null) }),
    );
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const welcome = await connectBus({ server: { kind: "unix", path }, name: "welcome", token: "right" });
    expect(welcome.isConnected).toBe(true);
    await welcome.close();
    await expect(connectBus({ server: { kind: "unix", path }, name: "unwelcome", token: "wrong", waitForBroker: false })).rejects.toThrow(
      /Authorization Violation/i,
    );
    await new Promise((resolve) => server.close(resolve));
  });

  it("refuses to publish more than the other side accepts, instead of growing without bound", async () => {
    await using rig = await BusRig.start();
    const path = `${rig.path}.stuck`;
    // Greets like a broker and answers the first ping, then reads no more.
    const stuck: Socket[] = [];
    const server = createServer((socket) => {
      stuck.push(socket);
      socket.write('INFO {"max_payload":1048576,"headers":true,"proto":1,"version":"2.10.0"} \r\n');
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write("PONG\r\n");
        socket.pause();
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const bus = await connectBus({ server: { kind: "unix", path }, name: "stuck" });
    const payload = Buffer.alloc(256 * 1024);
    let sent = 0;
    expect(() => {
      for (; sent < 1_000; sent++) bus.publish("x", payload);
    }).toThrow(expect.objectContaining({ code: "busy" }));
    expect(sent * payload.length).toBeGreaterThanOrEqual(MAX_UNSENT_BYTES - payload.length);
    expect(sent * payload.length).toBeLessThan(2 * MAX_UNSENT_BYTES);
    await bus.close();
    for (const socket of stuck) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it("survives a receiver that throws", async () => {
    await using rig = await BusRig.start();
    const problems: string[] = [];
    const bus = await rig.bus("sturdy", { log: (_level, msg) => problems.push(msg) });
    let seen = 0;
    bus.subscribe("bomb", () => {
      seen++;
      throw new Error("boom");
    });
    bus.publish("bomb", "1");
    bus.publish("bomb", "2");
    await bus.flush();
    expect(seen).toBe(2);
    expect(problems).toEqual(["a defect in the receiver of bomb: boom", "a defect in the receiver of bomb: boom"]);
  });

  it("does not starve timers, however long requests in this process follow each other", async () => {
    await using rig = await BusRig.start();
    const [asker, server] = await Promise.all([rig.memoryBus("asker"), rig.memoryBus("server")]);
    server.subscribe("echo", (message) => message.reply && server.publish(message.reply, message.data));
    await server.flush();
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, 20);
    // Ends only if the timer gets its turn.
    while (!isOver) await asker.request("echo", "x", { timeoutMs: 60_000 });
    expect(isOver).toBe(true);
  });
});
