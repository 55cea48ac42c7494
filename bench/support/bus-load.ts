// Publishers and subscribers of one subject each, on bare sockets: they write blocks made before and count what comes, so
// that the server has the work.
import { once } from "node:events";
import { connect, type Socket } from "node:net";

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
  const [subscriber, publisher] = [await join(port), await join(port)];
  subscriber.write(`SUB ${subject} 1\r\nPING\r\n`);
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

async function join(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write('CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\nPING\r\n');
  await pong(socket);
  return socket;
}

function pong(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    let said = "";
    const look = (chunk: Buffer) => {
      said += chunk.toString("latin1");
      if (!said.endsWith("PONG\r\n")) return;
      socket.off("data", look);
      resolve();
    };
    socket.on("data", look);
  });
}
