// Prints the messages of a topic, and at the end how many were missed: node listen.js TOPIC [COUNT]
import { connectClient } from "mgr/client";

const [topic, count = "Infinity"] = process.argv.slice(2);
if (topic === undefined) throw new Error("usage: node listen.js TOPIC [COUNT]");
const client = await connectClient({ name: "listen" });
const subscription = client.subscribe(topic);
let left = Number(count);
for await (const { seq, value } of subscription) {
  console.log(seq, JSON.stringify(value));
  if (--left <= 0) break;
}
console.log(JSON.stringify(subscription.counters));
await client.close();
