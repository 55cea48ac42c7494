// The hub of bench/store-forward.ts on an address of its own, and a program there that receives live messages and those of the cut. With an address of a
// nats-server, the program alone. `node --import tsx store-hub.ts HOST PORT | store-hub.ts URL`
import { createBroker } from "../../src/bus/broker/broker.ts";
import { permissionsOf } from "../../src/bus/broker/permissions.ts";
import { connectBus } from "../../src/bus/client/connect-bus.ts";
import { createStream, deliver } from "./jetstream.ts";

/** What arrived since the last question. Times are milliseconds. */
export interface StoreAnswer {
  /** From sending to receipt. */
  readonly delays: readonly number[];
  /** Live messages that are missing in their numbers. */
  readonly lost: number;
  /** From the first message over the link to the last kept sample. */
  readonly drainMs: number;
  /** Kept samples so far: all, again, and out of order. */
  readonly kept: number;
  readonly doubled: number;
  readonly disordered: number;
}

const [place = "", port = ""] = process.argv.slice(2);
const broker = port === "" ? null : createBroker({ name: "hub" });
const bus = await connectBus({ server: broker ? { kind: "memory", broker } : { kind: "url", urls: [place] }, name: "logger" });
let delays: number[] = [];
let lost = 0;
let next: number | null = null;
let [began, ended] = [0, 0];
let [doubled, disordered, newest] = [0, 0, -1];
const seen = new Set<number>();

bus.subscribe("topic.live", ({ data }) => {
  const [number = 0, at = 0] = Buffer.from(data).toString().split(" ").map(Number);
  // The first one shows that the link is up.
  if (next === null) {
    began = performance.now();
    if (broker === null) void source();
  }
  delays.push(performance.timeOrigin + performance.now() - at);
  lost += number - (next ?? number);
  next = number + 1;
});
bus.subscribe(broker === null ? "delivered" : "late.kept", ({ data, reply }) => {
  const index = Number.parseInt(Buffer.from(data).toString("latin1", 0, 12), 10);
  if (seen.has(index)) doubled++;
  else if (index < newest) disordered++;
  newest = Math.max(newest, index);
  seen.add(index);
  ended = performance.now();
  if (broker !== null && reply) bus.publish(reply, "");
});
await bus.flush();
if (broker !== null) {
  const authenticate = () => permissionsOf({ kind: "host", name: "h1" });
  await broker.listenTcp({ host: place, port: Number(port), authenticate });
}
process.on("message", () => {
  process.send?.({ delays, lost, drainMs: ended - began, kept: seen.size, doubled, disordered } satisfies StoreAnswer);
  delays = [];
  lost = 0;
});
process.on("disconnect", () => process.exit());
process.send?.({});

/** Copies the stream of the leaf, and delivers the copy. */
async function source(): Promise<void> {
  const external = { api: "$JS.leaf.API", deliver: "" };
  await createStream(bus, { name: "COPY", storage: "file", sources: [{ name: "KEPT", external }] });
  await deliver(bus, "COPY", "delivered");
}
