// The manager's broker by itself, on a TCP port that asks for no credentials.
import { createBroker } from "../../src/bus/broker.ts";

const broker = createBroker();
const port = await broker.listenTcp({ host: "127.0.0.1", port: 0, authenticate: () => ({}) });
process.on("message", () => process.send?.({ port, pid: process.pid, dropped: broker.stats().dropped_msgs }));
process.on("disconnect", () => process.exit());
process.send?.({});
