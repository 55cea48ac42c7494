import { afterEach, expect, it, vi } from "vitest";
import type { ByteStream, ByteStreamHandlers } from "../../src/bus/carriers/byte-stream.ts";
import { NatsTransport } from "../../src/bus/client/nats-transport.ts";

afterEach(() => void vi.useRealTimers());

const INFO = Buffer.from('INFO {"server_id":"a"}\r\n');
const MESSAGE = Buffer.from("MSG news 1 2\r\nhi\r\n");

/** A transport over a stream that the test feeds. */
async function connected({ isLocal = false } = {}) {
  const fed: ByteStreamHandlers[] = [];
  const writes: string[] = [];
  const stream: ByteStream = {
    open: (handlers) => void fed.push(handlers),
    write: (chunks) => void writes.push(Buffer.concat(chunks).toString()),
    pause: () => {},
    resume: () => {},
    end: () => {},
    destroy: () => fed[0]?.closed(null),
    unsent: 0,
  };
  const transport = new NatsTransport();
  const connecting = transport.connect(null, { dial: async () => stream, isLocal, onTransport: () => {} } as object);
  // When all microtasks are done.
  await new Promise<void>((done) => process.nextTick(done));
  const [handlers] = fed;
  if (!handlers) throw new Error("the stream was not opened");
  handlers.data(INFO);
  await connecting;
  return { transport, writes, feed: (bytes: Uint8Array) => handlers.data(bytes) };
}

it("a connection is lost after 6 s without any data", async () => {
  vi.useFakeTimers();
  const { transport } = await connected();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(transport.isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(transport.isClosed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it("messages prove that the connection lives, also while the answer to a ping waits behind them", async () => {
  vi.useFakeTimers();
  const { transport, feed } = await connected();
  for (let second = 0; second < 30; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    feed(MESSAGE);
  }
  expect(transport.isClosed).toBe(false);
  await transport.close(new Error("the test ends"));
});

it("a backlog that is still being processed proves that the connection lives, although nothing more is read", async () => {
  vi.useFakeTimers();
  const { transport, feed } = await connected();
  for (let count = 0; count < 30; count++) feed(MESSAGE);
  const chunks = transport[Symbol.asyncIterator]();
  for (let second = 0; second < 30; second++) {
    const next = chunks.next();
    await vi.advanceTimersByTimeAsync(1_000);
    await next;
  }
  expect(transport.isClosed).toBe(false);
  await transport.close(new Error("the test ends"));
});

it("a connection within the machine may be silent, and has no timer", async () => {
  vi.useFakeTimers();
  const { transport } = await connected({ isLocal: true });
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(transport.isClosed).toBe(false);
});

it("frames of one turn are one write, also those that its microtasks send", async () => {
  const { transport, writes } = await connected({ isLocal: true });
  transport.send(Buffer.from("PUB a 0\r\n\r\n"));
  void Promise.resolve()
    .then(() => {})
    .then(() => transport.send(Buffer.from("PUB b 0\r\n\r\n")));
  expect([writes, transport.unsent]).toEqual([[], 11]);
  await new Promise((resolve) => setImmediate(resolve));
  expect([writes, transport.unsent]).toEqual([["PUB a 0\r\n\r\nPUB b 0\r\n\r\n"], 0]);
  await transport.close(new Error("the test ends"));
});

it("a message that bypasses the library does not overtake frames, and is written at once with them", async () => {
  const { transport, writes } = await connected({ isLocal: true });
  transport.send(Buffer.from("PUB a 0\r\n\r\n"));
  transport.publish("b", [Buffer.from("hi")]);
  expect(writes).toEqual(["PUB a 0\r\n\r\nPUB b 2\r\nhi\r\n"]);
  await transport.close(new Error("the test ends"));
});

it("what was sent last is written before a regular close", async () => {
  const { transport, writes } = await connected({ isLocal: true });
  transport.send(Buffer.from("PUB a 0\r\n\r\n"));
  const closing = transport.close();
  expect(writes).toEqual(["PUB a 0\r\n\r\n"]);
  transport.disconnect();
  await closing;
});
