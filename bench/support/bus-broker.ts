// The manager's broker by itself, on a TCP port that asks for no credentials. Tells how much it worked at most, since the last question, while a timer was due.
import { createBroker } from "../../src/bus/broker/broker.ts";

/** Of the timer that is watched, milliseconds. */
const PERIOD_MS = 5;

const broker = createBroker();
const port = await broker.listenTcp({ host: "127.0.0.1", port: 0, authenticate: () => ({}) });
let latest = 0;
let before = process.cpuUsage();
// Processor time, all threads: what it waits for the processor is the fault of whoever has it.
setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  latest = Math.max(latest, (user + system) / 1_000 - PERIOD_MS);
  before = process.cpuUsage();
}, PERIOD_MS);
process.on("message", () => {
  process.send?.({ port, pid: process.pid, dropped: broker.stats().dropped_msgs, late: latest });
  latest = 0;
});
process.on("disconnect", () => process.exit());
process.send?.({});
