import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DiskRing } from "../../../../src/features/flight/host/ring/disk-ring.ts";
import { FlightRing } from "../../../../src/features/flight/host/ring/flight-ring.ts";
import { MemoryRing } from "../../../../src/features/flight/host/ring/memory-ring.ts";
import type { RingMessage } from "../../../../src/features/flight/host/ring/records.ts";
import { type RingPosition, RingReader } from "../../../../src/features/flight/host/ring/ring-reader.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const NO_LOG = () => {};

function message(n: number, size = 8, topic = "arm/state"): RingMessage {
  const payload = Buffer.alloc(Math.max(size, 4));
  payload.writeUInt32LE(n);
  const about = { definition: `{"title":"${topic}"}`, definitionName: "State", encoding: "json" };
  return {
    topic,
    ...about,
    received: BigInt(n + 1),
    published: n % 2 === 0 ? null : BigInt(n),
    sequence: n % 3 === 0 ? null : BigInt(n),
    payload,
  };
}

interface Found {
  readonly messages: RingMessage[];
  readonly lost: [string, number][];
  readonly gaps: boolean[];
  readonly position: RingPosition;
}

async function readAll(reader: RingReader): Promise<Found> {
  const messages: RingMessage[] = [];
  const lost: [string, number][] = [];
  const gaps: boolean[] = [];
  const visitor = {
    message: (found: RingMessage) => void messages.push({ ...found, payload: Buffer.from(found.payload) }),
    lost: (topic: string, count: number) => void lost.push([topic, count]),
    gap: (_from: bigint, _until: bigint, isEnded: boolean) => void gaps.push(isEnded),
  };
  while (await reader.slice(visitor));
  return { messages, lost, gaps, position: reader.position };
}

function isSame(a: RingMessage, b: RingMessage | undefined): boolean {
  const about = (of: RingMessage) =>
    [of.topic, of.encoding, of.definitionName, of.definition, of.received, of.published, of.sequence].join("\n");
  return b !== undefined && about(a) === about(b) && Buffer.compare(a.payload, b.payload) === 0;
}

const numbers = (messages: readonly RingMessage[]) => messages.map(({ payload }) => Buffer.from(payload).readUInt32LE());

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-ring-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("what comes out is the newest suffix of what went in, in order and unchanged, within the memory bound", async () => {
  const size = fc.oneof(fc.integer({ min: 4, max: 200 }), fc.integer({ min: 4, max: 30_000 }), fc.integer({ min: 60_000, max: 70_000 }));
  const put = fc.record({ size, topic: fc.constantFrom("a", "b", "c/d") });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 20_000, max: 300_000 }), fc.array(put, { minLength: 1, maxLength: 300 }), async (memory, puts) => {
      const ring = new MemoryRing({ clock: new SimulatedClock(), now: () => 0n, dropped: () => {} });
      ring.setBounds({ memory, spanMs: 60_000 });
      const kept: RingMessage[] = [];
      for (const [n, { size: bytes, topic }] of puts.entries()) {
        const each = message(n, bytes, topic);
        if (ring.put(each)) kept.push(each);
        else expect(bytes + 200).toBeGreaterThan(memory);
        if (ring.allocated > memory) expect(ring.allocated).toBeLessThanOrEqual(memory);
      }
      const { messages, gaps } = await readAll(await RingReader.from(ring, null, 0n));
      const suffix = messages.length === 0 ? [] : kept.slice(-messages.length);
      // Compared by hand: Vitest takes seconds for so many bytes.
      const differs = suffix.some((each, n) => !isSame(each, messages[n]));
      expect([messages.length, differs]).toEqual([suffix.length, false]);
      expect(gaps).toEqual([]);
      if (kept.length > 0) expect(messages.length).toBeGreaterThan(0);
      // Blocks have some room at their ends, but not more than they use.
      const whole = kept.reduce((sum, { payload }) => sum + payload.length + 200, 0);
      if (whole < memory / 2) expect(messages).toHaveLength(kept.length);
    }),
  );
});

it("a reader that stops anywhere goes on there, also when the ring has gone on", async () => {
  const ring = new MemoryRing({ clock: new SimulatedClock(), now: () => 0n, dropped: () => {} });
  ring.setBounds({ memory: 400_000, spanMs: 60_000 });
  for (let n = 0; n < 700; n++) ring.put(message(n, 20, n % 5 === 0 ? "b" : "a"));
  const found: RingMessage[] = [];
  let reader = await RingReader.from(ring, null, 0n);
  const visitor = {
    message: (each: RingMessage) => void found.push({ ...each, payload: Buffer.from(each.payload) }),
    lost: () => {},
    gap: () => {},
  };
  await reader.slice(visitor);
  expect(found.length).toBeLessThan(700);
  for (let n = 700; n < 1_500; n++) ring.put(message(n, 20));
  reader = RingReader.at(ring, null, reader.position);
  while (await reader.slice(visitor));
  expect(numbers(found)).toEqual(Array.from({ length: 1_500 }, (_, n) => n));
});

it("a reader that the ring overtakes says that something is missing, and never returns wrong bytes", async () => {
  const ring = new MemoryRing({ clock: new SimulatedClock(), now: () => 0n, dropped: () => {} });
  ring.setBounds({ memory: 64 * 1024, spanMs: 60_000 });
  for (let n = 0; n < 600; n++) ring.put(message(n));
  const found: RingMessage[] = [];
  let gaps = 0;
  const reader = await RingReader.from(ring, null, 0n);
  const visitor = {
    message: (each: RingMessage) => void found.push({ ...each, payload: Buffer.from(each.payload) }),
    lost: () => {},
    gap: () => {
      gaps++;
    },
  };
  await reader.slice(visitor);
  for (let n = 600; n < 10_000; n++) ring.put(message(n));
  while (await reader.slice(visitor));
  expect(gaps).toBe(1);
  const order = numbers(found);
  expect(order.slice(0, 400)).toEqual(Array.from({ length: 400 }, (_, n) => n));
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order.at(-1)).toBe(9_999);
  for (const each of found) expect(each).toEqual(message(Buffer.from(each.payload).readUInt32LE()));
});

it("messages that are too old are dropped, also when nothing new comes", async () => {
  const clock = new SimulatedClock();
  const ring = new FlightRing({ clock, now: () => 1n, log: NO_LOG, folder, minFree: 0 });
  ring.configure({ memory: 1024 * 1024, spanMs: 8_000 }, 0);
  ring.put(message(0));
  await clock.advance(4_000);
  ring.put(message(1));
  expect(await ring.report()).toMatchObject({ messages: 2, newest: "2" });
  await clock.advance(6_000);
  expect(numbers((await readAll(await ring.reader(0n))).messages)).toEqual([1]);
  await clock.advance(6_000);
  expect(await ring.report()).toMatchObject({ messages: 0 });
  await ring.close();
});

it("counts a message that is larger than the ring as lost, and keeps the others", async () => {
  const ring = new FlightRing({ clock: new SimulatedClock(), now: () => 1n, log: NO_LOG, folder, minFree: 0 });
  ring.configure({ memory: 64 * 1024, spanMs: 8_000 }, 0);
  ring.put(message(1));
  ring.put(message(2, 70_000, "eye/image"));
  ring.put(message(3));
  const { messages, lost } = await readAll(await ring.reader(0n));
  expect(numbers(messages)).toEqual([1, 3]);
  expect(lost).toEqual([["eye/image", 1]]);
  await ring.close();
});

it("the ring on the disk outlives its daemon, within its bound, and says that the daemon did not run", async () => {
  const clock = new SimulatedClock();
  const open = () => {
    const ring = new FlightRing({ clock, now: () => BigInt(Math.round(clock.monotonic())), log: NO_LOG, folder, minFree: 0 });
    ring.configure({ memory: 64 * 1024, spanMs: 3_600_000 }, 200_000);
    return ring;
  };
  const first = open();
  let n = 0;
  const publish = async (ring: FlightRing, until: number) => {
    for (; n < until; n++) {
      await clock.advance(10);
      ring.put({ ...message(n, 1_000), received: BigInt(Math.round(clock.monotonic())) });
      await ring.settled();
    }
  };
  await publish(first, 400);
  // Killed: what was written last is at most half a second old.
  const { disk_bytes } = await first.report();
  expect(disk_bytes).toBeLessThanOrEqual(200_000);
  await first.quiet();
  await clock.advance(5_000);
  const second = open();
  await publish(second, 420);
  const { messages, gaps } = await readAll(await second.reader(0n));
  const order = numbers(messages);
  const end = order.indexOf(400);
  expect(end).toBeGreaterThan(100);
  expect(400 - (order[end - 1] ?? 0)).toBeLessThanOrEqual(51);
  expect(order.slice(0, end)).toEqual(Array.from({ length: end }, (_, at) => (order[0] ?? 0) + at));
  expect(order.slice(end)).toEqual(Array.from({ length: 20 }, (_, at) => 400 + at));
  expect(gaps).toEqual([true]);
  expect(await second.report()).toMatchObject({ oldest: String(messages[0]?.received) });
  // From a time on: no block before it is read.
  const late = messages[end - 50]?.received ?? 0n;
  const rest = await readAll(await second.reader(late));
  expect(numbers(rest.messages)).toEqual(order.slice(-numbers(rest.messages).length));
  expect(rest.messages.length).toBeGreaterThanOrEqual(70);
  expect(rest.messages.length).toBeLessThan(order.length);
  second.configure({ memory: 64 * 1024, spanMs: 3_600_000 }, 0);
  await second.close();
  expect(readdirSync(folder)).toEqual([]);
});

it("a file that is cut off or damaged anywhere yields what is whole before that place", async () => {
  const clock = new SimulatedClock();
  const ring = new FlightRing({ clock, now: () => 1n, log: NO_LOG, folder, minFree: 0 });
  ring.configure({ memory: 1024 * 1024, spanMs: 3_600_000 }, 1024 * 1024);
  for (let n = 0; n < 60; n++) {
    ring.put(message(n, 300));
    if (n % 10 === 9) await clock.advance(500);
    await ring.settled();
  }
  await ring.close();
  const [name = ""] = readdirSync(folder);
  const path = join(folder, name);
  const whole = readFileSync(path);
  const read = async () => {
    const disk = new DiskRing({ folder, minFree: 0, log: NO_LOG });
    disk.setBound(1024 * 1024);
    const memory = new MemoryRing({ clock, now: () => 1n, dropped: () => {} });
    return numbers((await readAll(await RingReader.from(memory, disk, 0n))).messages);
  };
  expect(await read()).toEqual(Array.from({ length: 60 }, (_, n) => n));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 16, max: whole.length - 1 }), fc.boolean(), async (at, isCut) => {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      writeFileSync(path, damaged);
      if (isCut) truncateSync(path, at);
      const order = await read();
      expect(order).toEqual(Array.from({ length: order.length }, (_, n) => n));
      expect(order.length).toBeLessThan(60);
      // Each piece has ten messages of 332 bytes.
      expect(order.length).toBeGreaterThanOrEqual(10 * Math.floor((at - 400) / 3_400));
    }),
  );
});

it("a disk that does not answer never stalls the ring: what is too much is dropped and counted", async () => {
  const clock = new SimulatedClock();
  let release = () => {};
  const stuck = new Promise<void>((resolve) => {
    release = resolve;
  });
  const logged: string[] = [];
  const log = (_level: string, msg: string) => void logged.push(msg);
  const ring = new FlightRing({ clock, now: () => 1n, log, folder, minFree: 0, append: () => stuck });
  ring.configure({ memory: 64 * 1024, spanMs: 3_600_000 }, 1024 * 1024);
  for (let n = 0; n < 2_000; n++) {
    ring.put(message(n, 200));
    if (n % 100 === 0) await clock.advance(500);
  }
  const { messages } = await readAll(await ring.reader(2_000n));
  expect(numbers(messages).at(-1)).toBe(1_999);
  expect(logged.join("\n")).toMatch(/is too slow or full: \d+ messages of the flight recorder are not on it/);
  release();
  await ring.close();
});
