// Subscribes to topics, named as arguments, and reads every message.
import { connectClient } from "mgr/client";

const client = await connectClient({ name: "reader" });
let sum = 0;
for (const topic of process.argv.slice(2))
  client.subscribe(topic, {
    onMessage: ({ value }) => {
      sum += value.x0;
    },
  });
process.on("exit", () => console.log(sum));
