import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { FrameWriter, JoinedFrames } from "../../src/transport/frame-writer.ts";

const LENGTHS = [0, 1, 125, 126, 127, 16_000, 65_535, 65_536, 300_000];
const texts = LENGTHS.map((length, index) => String(index).repeat(length));

let server: WebSocketServer;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
});
afterEach(async () => {
  for (const client of server.clients) client.terminate();
  server.close();
  await once(server, "close");
});

/** A client, what it receives, and the writer of the server for it. */
async function open(joined: JoinedFrames) {
  const accepted = once(server, "connection");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const received: string[] = [];
  let wake = () => {};
  client.on("message", (data, isBinary) => {
    received.push(isBinary ? "binary" : String(data));
    wake();
  });
  const [ws, { socket }] = await accepted;
  await once(client, "open");
  const counters = { sent: 0 };
  const writer = new FrameWriter(ws, { stream: socket, joined, counters });
  const send = (parts: readonly (readonly [Buffer, boolean])[]) =>
    new Promise<void>((resolve) => {
      writer.cork();
      for (const [index, [bytes, fin]] of parts.entries())
        writer.send(bytes, { fin }, index === parts.length - 1 ? () => resolve() : () => {});
      writer.uncork();
    });
  const until = async (count: number) => {
    while (received.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return received;
  };
  return { client, ws, send, until, counters };
}

test("messages of all lengths arrive as they are, one in a write and many", async () => {
  const { send, until, counters } = await open(new JoinedFrames());
  for (const text of texts) await send([[Buffer.from(text), true]]);
  await send(texts.map((text) => [Buffer.from(text), true]));
  expect(await until(2 * texts.length)).toEqual([...texts, ...texts]);
  expect(counters.sent).toBe(2 * texts.length);
});

test("fragments are one message, with pings between them", async () => {
  const { client, ws, send, until, counters } = await open(new JoinedFrames());
  const pinged = once(client, "ping");
  await send([
    [Buffer.from("whole"), true],
    [Buffer.from("be"), false],
  ]);
  ws.ping();
  await send([[Buffer.alloc(100_000, "i"), false]]);
  await send([
    [Buffer.from("end"), true],
    [Buffer.from("next"), true],
  ]);
  expect(await until(3)).toEqual(["whole", `be${"i".repeat(100_000)}end`, "next"]);
  expect(counters.sent).toBe(3);
  await pinged;
});

test("connections that are sent other frames in turns each receive their own", async () => {
  const joined = new JoinedFrames();
  const [one, two] = [await open(joined), await open(joined)];
  const [a, b] = [Buffer.from("a"), Buffer.from("b")];
  await one.send([[a, true]]);
  await two.send([[a, true]]);
  await two.send([[a, false]]);
  await one.send([[b, true]]);
  await two.send([[a, true]]);
  await one.send([
    [a, true],
    [b, true],
  ]);
  expect(await one.until(4)).toEqual(["a", "b", "a", "b"]);
  expect(await two.until(2)).toEqual(["a", "aa"]);
});

test("nothing is written to a WebSocket that closes, and its messages are done", async () => {
  const { client, ws, send, until } = await open(new JoinedFrames());
  const closed = once(client, "close");
  await send([[Buffer.from("last"), true]]);
  ws.close(1001, "over");
  await send([[Buffer.from("late"), true]]);
  expect(String((await closed)[1])).toBe("over");
  expect(await until(1)).toEqual(["last"]);
});
