import { once } from "node:events";
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { type Client, startRig } from "../rig.ts";

const CYCLES = 1_000;
const AT_ONCE = 20;
/** By which the heap of a quiet program differs from one look to the next; a connection with its socket holds far more than 3 kB. */
const SLACK_BYTES = 3_000 * CYCLES;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const descriptors = () => readdirSync("/proc/self/fd").length;

/** Heap in use once everything that can go has gone. */
async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it("a thousand connections that subscribe and go leave nothing behind", async () => {
  await using rig = await startRig(["db", "sim/world", "sim/robot"]);
  let offset = 0;
  async function cycle(index: number): Promise<void> {
    const client = await rig.connect(["", "?single_process=db", "?single_group=sim", "?log_only=1"][index % 4]);
    client.send({ type: "subscribe_process_output", patterns: ["*", `db${index}`, "db"] });
    client.send({ type: "set_log_min_level", level: "debug" });
    await client.ask({ type: "get_snapshot" });
    rig.output("db", offset++, "x");
    // Half of them say goodbye, the others are cut off.
    if (index % 2 === 0) client.ws.close();
    else client.ws.terminate();
    await closed(client);
    rig.forget(client);
  }
  async function cycles(count: number): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < count) await cycle(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    while (rig.transport.connections().length > 0) await new Promise((resolve) => setImmediate(resolve));
    rig.windows.length = 0;
  }

  // What is made once and kept (compiled patterns, pools) is there before it counts.
  await cycles(CYCLES / 5);
  const before = { descriptors: descriptors(), heap: await heap() };
  await cycles(CYCLES);
  expect(rig.transport.connections()).toEqual([]);
  expect((await heap()) - before.heap).toBeLessThan(SLACK_BYTES);
  await expect.poll(descriptors, { timeout: 60_000 }).toBeLessThanOrEqual(before.descriptors);
});

async function closed({ ws }: Client): Promise<void> {
  if (ws.readyState !== ws.CLOSED) await once(ws, "close");
}
