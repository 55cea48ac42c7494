// What people write where nothing judges topics: a program that subscribes to them, and counts messages a second and the longest gap of each.
import { connectClient } from "../../src/client/index.ts";

const [, , url = "", topics = ""] = process.argv;
const client = await connectClient({ name: "watchdog", url });
const seen = Array.from({ length: Number(topics) }, () => ({ messages: 0, at: performance.now(), gap: 0 }));
for (const [n, topic] of seen.entries())
  client.subscribe(`bench/${n}`, {
    onMessage: () => {
      const now = performance.now();
      topic.messages++;
      topic.gap = Math.max(topic.gap, now - topic.at);
      topic.at = now;
    },
  });
await client.flush();
let bad = 0;
setInterval(() => {
  for (const topic of seen) {
    if (topic.messages < 900 || topic.gap > 100) bad++;
    [topic.messages, topic.gap] = [0, 0];
  }
}, 1_000);
process.on("message", () => process.send?.({ bad }));
process.on("disconnect", () => process.exit());
process.send?.({});
