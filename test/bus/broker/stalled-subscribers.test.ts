import { expect, it } from "vitest";
import { MemoryBudget } from "../../../src/bus/broker/queues/memory-budget.ts";
import { BusRig, type RawClient } from "../bus-rig.ts";

const QUIET = 'CONNECT {"verbose":false,"pedantic":false}\r\n';
const MIB = 1024 * 1024;

async function stalled(rig: BusRig, count: number): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (let n = 0; n < count; n++) {
    const client = await rig.raw();
    client.send(`${QUIET}SUB flood 1\r\nPING\r\n`);
    await client.until((text) => text.includes("PONG"));
    client.socket.pause();
    clients.push(client);
  }
  return clients;
}

it("memory: 150 subscribers that stopped reading share one budget, and a subscriber that reads loses nothing", async () => {
  const memory = new MemoryBudget(() => {}, 16 * MIB);
  await using rig = await BusRig.start({ memory });
  await stalled(rig, 150);
  const reader = await rig.bus("reader");
  const seen: string[] = [];
  reader.subscribe("command", ({ data }) => seen.push(Buffer.from(data).toString()));
  await reader.flush();
  const publisher = await rig.raw();
  publisher.send(QUIET);
  const body = "x".repeat(100_000);
  let most = 0;
  for (let n = 0; n < 300; n++) {
    publisher.send(`PUB flood ${body.length}\r\n${body}\r\nPUB command ${`${n}`.length}\r\n${n}\r\nPING\r\n`);
    await publisher.until((text) => (text.match(/PONG/g)?.length ?? 0) > n);
    most = Math.max(most, memory.used);
  }
  await expect.poll(() => seen.length).toBe(300);
  expect(seen).toEqual(Array.from({ length: 300 }, (_, n) => `${n}`));
  // The budget may be exceeded by what is added within one operation: a message for each of the subscribers.
  expect(most).toBeLessThan(32 * MIB);
  expect(memory.losses.reduce((sum, { pieces }) => sum + pieces, 0)).toBeGreaterThan(1_000);
  expect(rig.broker.stats().clients.find(({ name }) => name === "reader")?.dropped_msgs).toBe(0);
});

it("memory: an unfinished message counts for its sender, whose connection is closed when memory is used up", async () => {
  const memory = new MemoryBudget(() => {}, 4 * MIB);
  await using rig = await BusRig.start({ memory });
  const senders: RawClient[] = [];
  for (let n = 0; n < 20; n++) {
    const sender = await rig.raw();
    senders.push(sender);
    sender.send(`${QUIET}PUB a 900000\r\n${"x".repeat(800_000)}`);
  }
  await expect.poll(() => senders.filter(({ isClosed }) => isClosed).length).toBeGreaterThan(10);
  expect(memory.used).toBeLessThan(5 * MIB);
});
