// Publishes topics waves/0, waves/1 …, each with numbers x0, x1 …, at 1 kHz. Arguments: topics, fields of each.
import { connectClient } from "mgr/client";

const [topics = 1, fields = 20] = process.argv.slice(2).map(Number);
const RATE = 1_000;
/** Timers are no better than this; milliseconds. */
const TICK_MS = 4;

const client = await connectClient({ name: "waves" });
const publishers = [];
for (let n = 0; n < topics; n++) publishers.push(await client.publisher(`waves/${n}`, { type: "object" }));
let sent = 0;
const begin = performance.now();
setInterval(() => {
  const due = Math.floor(((performance.now() - begin) * RATE) / 1_000);
  for (; sent < due; sent++) {
    const value = Object.fromEntries(Array.from({ length: fields }, (_, n) => [`x${n}`, Math.sin(sent / 300 + n) + Math.random() / 10]));
    for (const publisher of publishers) publisher.publish(value);
  }
}, TICK_MS);
console.log("publishing");
