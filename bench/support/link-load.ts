// Publishes to one server as fast as it reads, and counts what arrives at another one.
import { once } from "node:events";
import { linked, natsSocket, pong } from "./nats-socket.ts";

/** When nothing has arrived for so long, the rest was lost, milliseconds. */
const QUIET_MS = 1_500;

export interface LinkQuestion {
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly count: number;
}
export interface LinkAnswer {
  readonly received: number;
  /** Messages a second, until the last one that arrived. */
  readonly perSecond: number;
}

process.on("message", async ({ from, to, size, count }: LinkQuestion) => {
  const subscriber = await natsSocket(to, "subscriber");
  const publisher = await natsSocket(from, "publisher");
  subscriber.write("SUB topic.bench.link 1\r\n");
  await pong(subscriber);
  await linked(publisher, subscriber);
  const delivered = `MSG topic.bench.link 1 ${size}\r\n`.length + size + 2;
  let bytes = 0;
  let last = performance.now();
  subscriber.on("data", ({ length }: Buffer) => {
    last = performance.now();
    bytes += length;
  });
  const message = Buffer.from(`PUB topic.bench.link ${size}\r\n${"x".repeat(size)}\r\n`);
  const begin = performance.now();
  for (let sent = 0; sent < count; sent++) if (!publisher.write(message)) await once(publisher, "drain");
  while (bytes < count * delivered && performance.now() - last < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 5));
  // An answer to a ping may have arrived, too.
  const received = Math.min(count, Math.round(bytes / delivered));
  process.send?.({ received, perSecond: (received * 1_000) / (last - begin) } satisfies LinkAnswer);
  publisher.destroy();
  subscriber.destroy();
});
process.on("disconnect", () => process.exit());
process.send?.({});
