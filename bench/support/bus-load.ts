// Publishers and subscribers of one subject each, on bare sockets: they write blocks made before and count what comes, so
// that the server has the work.
import { natsSocket, pong } from "./nats-socket.ts";

/** Published and not arrived yet: less than any server drops. */
const WINDOW_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;

export interface LoadQuestion {
  /** Payload bytes, to the server at this port; null: the end. Left out: the load goes on. */
  load?: { port: number; size: number } | null;
}
export interface LoadCount {
  messages: number;
  /** Of this process, microseconds. */
  cpu: number;
}

let messages = 0;
let stop = () => {};

process.on("message", async ({ load }: LoadQuestion) => {
  if (load !== undefined) stop();
  if (load) stop = await begin(load.port, load.size);
  const { user, system } = process.cpuUsage();
  process.send?.({ messages, cpu: user + system } satisfies LoadCount);
});
process.on("disconnect", () => process.exit());
process.send?.({});

async function begin(port: number, size: number): Promise<() => void> {
  const subject = "bench.subject";
  const publish = Buffer.from(`PUB ${subject} ${size}\r\n${"x".repeat(size)}\r\n`);
  const delivered = Buffer.byteLength(`MSG ${subject} 1 ${size}\r\n`) + size + 2;
  const perBlock = Math.max(1, Math.floor(BLOCK_BYTES / publish.length));
  const block = Buffer.concat(Array.from({ length: perBlock }, () => publish));
  const [subscriber, publisher] = [await natsSocket(port), await natsSocket(port)];
  subscriber.write(`SUB ${subject} 1\r\n`);
  await pong(subscriber);
  let received = 0;
  let sent = 0;
  messages = 0;
  const go = () => {
    while (sent - messages * publish.length < WINDOW_BYTES && publisher.writable) {
      sent += block.length;
      if (!publisher.write(block)) return;
    }
  };
  subscriber.on("data", (chunk) => {
    received += chunk.length;
    messages = Math.floor(received / delivered);
    if (publisher.writableLength === 0) go();
  });
  publisher.on("drain", go);
  go();
  return () => {
    publisher.destroy();
    subscriber.destroy();
  };
}
