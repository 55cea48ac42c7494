// The hub of bench/link-fairness.ts on an address of its own, and a subscriber of both topics there. With an address of a nats-server, the subscriber alone.
import { createBroker } from "../../src/bus/broker/broker.ts";
import { permissionsOf } from "../../src/bus/broker/permissions.ts";
import { connectBus } from "../../src/bus/client/connect-bus.ts";

const [host = "", server = ""] = process.argv.slice(2);
const broker = server === "" ? createBroker({ name: "hub" }) : null;
const port = (await broker?.listenTcp({ host, port: 0, authenticate: () => permissionsOf({ kind: "host", name: "h1" }) })) ?? 0;
const bus = await connectBus({ server: broker ? { kind: "memory", broker } : { kind: "url", urls: [server] }, name: "subscriber" });
let delays: number[] = [];
let lost = 0;
let next = 0;
let fat = 0;
bus.subscribe("topic.command", ({ data }) => {
  const [number = 0, at = 0] = Buffer.from(data).toString().split(" ").map(Number);
  delays.push(performance.timeOrigin + performance.now() - at);
  lost += number - next;
  next = number + 1;
});
bus.subscribe("topic.fat", () => fat++);
await bus.flush();
process.on("message", () => {
  process.send?.({ port, delays, lost, fat });
  delays = [];
  lost = 0;
  fat = 0;
});
process.on("disconnect", () => process.exit());
process.send?.({});
