// The manager's broker by itself, on a TCP port that asks for no credentials. Tells how late its timers were at most since the last question.
import { createBroker } from "../../src/bus/broker.ts";

/** Of the timer that is watched, milliseconds. */
const PERIOD_MS = 5;

const broker = createBroker();
const port = await broker.listenTcp({ host: "127.0.0.1", port: 0, authenticate: () => ({}) });
let latest = 0;
let before = performance.now();
setInterval(() => {
  const now = performance.now();
  latest = Math.max(latest, now - before - PERIOD_MS);
  before = now;
}, PERIOD_MS);
process.on("message", () => {
  process.send?.({ port, pid: process.pid, dropped: broker.stats().dropped_msgs, late: latest });
  latest = 0;
});
process.on("disconnect", () => process.exit());
process.send?.({});
