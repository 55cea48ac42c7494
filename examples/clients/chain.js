/**
 * A chain of three programs for `mgr topic latency` (docs/latency.md): `sensor` publishes arm/sensor 20 times a second, `filter` answers each message
 * after 20 ms with one of arm/filtered, and `controller` answers that after 10 ms with one of arm/command.
 */
import { setTimeout as pause } from "node:timers/promises";
import { connectClient } from "mgr/client";

const NUMBER = { title: "Number", type: "object", properties: { value: { type: "number" } } };
const [role = "sensor"] = process.argv.slice(2);
const client = await connectClient({ name: `arm/${role}` });

if (role === "sensor") {
  const sensor = await client.publisher("arm/sensor", NUMBER);
  for (let n = 0; ; n++) {
    sensor.publish({ value: Math.sin(n / 20) });
    await pause(50);
  }
}

const [from, to, delayMs] = role === "filter" ? ["arm/sensor", "arm/filtered", 20] : ["arm/filtered", "arm/command", 10];
const publisher = await client.publisher(to, NUMBER);
for await (const message of client.subscribe(from)) {
  await pause(delayMs);
  publisher.publish({ value: 0.9 * message.value.value }, { cause: message });
}
