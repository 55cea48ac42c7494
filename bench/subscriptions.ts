// Resident memory that a subscription costs the broker, of short, fat and wildcard subjects, 20,000 from one connection.
// Peer: Debian's nats-server with the same subscriptions. `npx tsx bench/subscriptions.ts`
import { RawClient } from "../test/bus/bus-rig.ts";
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { residentMib } from "./support/cpu.ts";
import { printFigure, sleep } from "./support/figure.ts";
import { Part } from "./support/part.ts";

const COUNT = 20_000;
const SETTLE_MS = 1_500;
const BROKER = new URL("./support/bus-broker.ts", import.meta.url);
const FAT = Array.from({ length: 60 }, (_, index) => `token-of-16-${index}x`.padEnd(16, "y"))
  .join(".")
  .slice(0, 1_000);
const KINDS = {
  short: (index: number) => `topic.arm.${index}`,
  fat: (index: number) => `${FAT}.${index}`,
  wildcard: (index: number) => `topic.*.part.${index}.>`,
};

/** Each in a server of its own, because memory that one kind needed is not returned. */
async function bytesPerSubscription(server: { port: number; pid: number }, subject: (index: number) => string): Promise<number> {
  const client = await RawClient.connect({ host: "127.0.0.1", port: server.port });
  // Whatever the first requests cost is not the cost of a subscription.
  const subscribe = async (from: number, to: number) => {
    for (let index = from; index < to; index++) client.send(`SUB ${subject(index)} ${index}\r\n`);
    const { length } = client.received;
    client.send("PING\r\n");
    await client.until((text) => text.indexOf("PONG", length) >= 0);
    await sleep(SETTLE_MS);
  };
  client.send('CONNECT {"verbose":false}\r\n');
  await subscribe(0, 1_000);
  const before = residentMib(server.pid);
  await subscribe(1_000, 1_000 + COUNT);
  const bytes = ((residentMib(server.pid) - before) * 1024 * 1024) / COUNT;
  client.close();
  return Math.round(bytes);
}

const results: Record<string, { value: number; peer: number }> = {};
for (const [kind, subject] of Object.entries(KINDS)) {
  await using broker = await Part.start(BROKER);
  await using natsServer = await NatsServer.start();
  const value = await bytesPerSubscription(await broker.ask<{ port: number; pid: number }>({}), subject);
  results[kind] = { value, peer: await bytesPerSubscription(natsServer, subject) };
}
const { short, ...others } = results;
if (!short) throw new Error("nothing was measured");
printFigure({
  figure: "subscriptions",
  unit: "bytes of resident memory for a subscription to a short subject",
  value: short.value,
  peer: "nats-server (Debian), same subscriptions",
  peer_value: short.peer,
  ...others,
});
