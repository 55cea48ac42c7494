import { expect, test } from "vitest";
import { LatencyMeter, type MeterOptions } from "../../../../src/features/topic-latency/host/latency-meter.ts";
import { Measurements } from "../../../../src/features/topic-latency/host/measurements.ts";
import { readThreads } from "../../../../src/features/topic-latency/host/threads.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const MS = 1_000_000n;
const BASE = 1_790_000_000_000n * MS;
const at = (ms: number) => BASE + BigInt(ms) * MS;

class Rig {
  readonly meter: LatencyMeter;
  #sequence = 0n;

  constructor(options: Partial<MeterOptions> = {}) {
    this.meter = new LatencyMeter({ topic: "c", chain: null, clocks: [], late_ns: null, ...options });
  }

  take(published: number | null, received: number, stages: Readonly<Record<string, number>> = {}, skipped = 0): void {
    this.#sequence += 1n + BigInt(skipped);
    const text = Object.entries(stages).map(([topic, time]) => `${topic}=${at(time)}`);
    const headers = text.length === 0 ? "NATS/1.0\r\n\r\n" : `NATS/1.0\r\nMgr-Stages: ${text.join(";")}\r\n\r\n`;
    this.meter.take({ published: published === null ? null : at(published), received: at(received), sequence: this.#sequence }, headers);
  }
}

test("measures each step of a chain and the whole of it, by message", () => {
  const rig = new Rig();
  rig.take(25, 26, { a: 0, b: 5 });
  rig.take(140, 144, { a: 100, b: 110 });
  const [path, ...others] = rig.meter.result().paths;
  expect(others).toEqual([]);
  expect(path?.topics).toEqual(["a", "b", "c"]);
  expect(path?.legs.map(({ min, max }) => [min / 1e6, max / 1e6])).toEqual([
    [5, 10],
    [20, 30],
    [1, 4],
  ]);
  expect(path?.total).toMatchObject({ min: 26e6, max: 44e6, worst: { from: String(at(100)), until: String(at(144)), seq: 2 } });
});

test("corrects the times of other hosts by how far their clocks are ahead", () => {
  const rig = new Rig({
    clocks: [
      { topic: "a", ahead_ns: 1.3e9 },
      { topic: "b", ahead_ns: -500e6 },
    ],
  });
  // True times: a 0, b 5, c 25, received 26.
  rig.take(25, 26, { a: 1_300, b: -495 });
  const [path] = rig.meter.result().paths;
  expect(path?.legs.map(({ max }) => max / 1e6)).toEqual([5, 20, 1]);
  expect(path?.total).toMatchObject({ max: 26e6, below_zero: 0, worst: { from: String(at(0)) } });
});

test("a chain that is asked for takes only messages that passed its topics in order", () => {
  const rig = new Rig({ chain: ["a", "c"] });
  rig.take(25, 26, { a: 0, b: 5 });
  rig.take(25, 26, { b: 5 });
  rig.take(25, 26);
  const { paths, unmatched } = rig.meter.result();
  expect(unmatched).toBe(2);
  expect(paths.map(({ topics, legs }) => [topics, legs.map(({ max }) => max / 1e6)])).toEqual([
    [
      ["a", "c"],
      [25, 1],
    ],
  ]);
});

test("the chain of a message that states the measured topic begins anew behind it", () => {
  const rig = new Rig();
  rig.take(25, 26, { a: 0, c: 5, b: 10 });
  expect(rig.meter.result().paths.map(({ topics }) => topics)).toEqual([["b", "c"]]);
});

test("counts messages that were lost, have no time, are late, or came by too many chains", () => {
  const rig = new Rig({ late_ns: 2e6 });
  rig.take(0, 2);
  rig.take(0, 3, {}, 4);
  rig.take(null, 3);
  for (const topic of ["s1", "s2", "s3", "s4"]) rig.take(10, 11, { [topic]: 0 });
  const { paths, ...counts } = rig.meter.result();
  expect(counts).toEqual({ messages: 7, lost: 4, unstamped: 1, late: 1, one_in: 1, other_paths: 1, unmatched: 0 });
  expect(paths.map(({ topics }) => topics)).toEqual([["c"], ["s1", "c"], ["s2", "c"], ["s3", "c"]]);
});

test("a number of a message that is no exact number is not told, and no loss is greater than one", () => {
  const rig = new Rig();
  const headers = "NATS/1.0\r\n\r\n";
  for (const sequence of [1n, 9_999_999_999_999_999n])
    rig.meter.take({ published: at(0), received: at(Number(sequence % 8n)), sequence }, headers);
  const { lost, paths } = rig.meter.result();
  expect([lost, paths[0]?.total.worst.seq]).toEqual([Number.MAX_SAFE_INTEGER, null]);
});

test("of too many messages some are measured, and it says how many", () => {
  const rig = new Rig();
  for (let slot = 0; slot < 3; slot++) for (let n = 0; n < 2_500; n++) rig.take(slot * 100, slot * 100 + 1);
  const { messages, one_in, paths } = rig.meter.result();
  expect([messages, one_in, paths[0]?.total.messages]).toEqual([7_500, 3, 2_500 + 834 + 834]);
});

test("a measurement taps its topic until it ends, is given up if nothing ends it, and there are not too many", async () => {
  const clock = new SimulatedClock();
  const taps = new Set<unknown>();
  const tap = {
    add(_topics: unknown, listener: unknown) {
      taps.add(listener);
      return () => taps.delete(listener);
    },
  };
  const measurements = new Measurements(tap, clock);
  const options = { topic: "c", chain: null, clocks: [], late_ns: null };
  const ids = Array.from({ length: 8 }, () => measurements.begin(options, 5));
  expect(() => measurements.begin(options, 5)).toThrow(/8 topics already/);
  expect(measurements.end(ids[0] ?? -1)).toMatchObject({ messages: 0, paths: [] });
  expect(taps.size).toBe(7);
  await clock.advance(20_000);
  expect(taps.size).toBe(0);
  expect(() => measurements.end(ids[1] ?? -1)).toThrow(/given up/);
});

test("reads how the threads of a process are scheduled, and none of one that has ended", () => {
  const own = readThreads(process.pid, 100)?.find(({ tid }) => tid === process.pid);
  expect(own).toMatchObject({ policy: expect.any(Number), nice: expect.any(Number) });
  expect(own?.affinity.length).toBeGreaterThan(0);
  expect(own?.run_ns).toBeGreaterThan(0);
  expect(own?.voluntary).toBeGreaterThan(0);
  expect(readThreads(process.pid, 1)).toHaveLength(1);
  expect(readThreads(2 ** 30, 1)).toBeNull();
});
