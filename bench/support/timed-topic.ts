// A program with the JavaScript client: publishes a topic at a steady rate, or subscribes to it and measures each message from publication to arrival.
import { connectClient } from "../../src/client/index.ts";

const [, , url = "", rate = ""] = process.argv;
const client = await connectClient({ name: rate === "" ? "subscriber" : "publisher", url });
let latencies: number[] = [];
if (rate === "")
  client.subscribe("bench/state", {
    onMessage: ({ time }) => {
      if (time !== null) latencies.push(performance.timeOrigin + performance.now() - Number(time) / 1e6);
    },
  });
else {
  const publisher = await client.publisher("bench/state", { type: "object" });
  const begin = performance.now();
  let sent = 0;
  setInterval(() => {
    for (const due = ((performance.now() - begin) * Number(rate)) / 1_000; sent < due; sent++)
      publisher.publish({ position: [0.1, 0.2, 0.3] });
  }, 1);
}
await client.flush();
process.on("message", () => {
  process.send?.(latencies);
  latencies = [];
});
process.on("disconnect", () => process.exit());
process.send?.({});
