// The hub of bench/link-fairness.ts on an address of its own, and a subscriber of both topics there. With an address of a nats-server, the subscriber alone.
import { createBroker } from "../../src/bus/broker/broker.ts";
import { permissionsOf } from "../../src/bus/broker/permissions.ts";
import { connectBus } from "../../src/bus/client/connect-bus.ts";

const [host = "", server = ""] = process.argv.slice(2);
const broker = server === "" ? createBroker({ name: "hub" }) : null;
const port = (await broker?.listenTcp({ host, port: 0, authenticate: () => permissionsOf({ kind: "host", name: "h1" }) })) ?? 0;
const bus = await connectBus({ server: broker ? { kind: "memory", broker } : { kind: "url", urls: [server] }, name: "subscriber" });
let delays: number[] = [];
let fat = 0;
bus.subscribe("topic.command", ({ data }) =>
  delays.push(performance.timeOrigin + performance.now() - Number(Buffer.from(data).toString())),
);
bus.subscribe("topic.fat", () => fat++);
await bus.flush();
process.on("message", () => {
  process.send?.({ port, delays, fat });
  delays = [];
  fat = 0;
});
process.on("disconnect", () => process.exit());
process.send?.({});
