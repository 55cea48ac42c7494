import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openReplay, type Replay } from "../../../../src/testing/index.ts";
import { folder, mcapFile, numbered, type Written } from "../mcap-files.ts";

const dir = folder();
afterAll(() => rmSync(dir, { recursive: true }));

const STATES: Written[] = Array.from({ length: 200 }, (_, n) => ({ topic: "arm/state", at: n * 5, value: { position: Math.sin(n / 9) } }));
const TICKS = numbered("tick", 10, 100, 2);

/** A filter that publishes what it computes, and a monitor of both that prints with simulated time; returns what it printed. */
async function consumers(replay: Replay): Promise<string[]> {
  const lines: string[] = [];
  const filter = await replay.connect("filter");
  const filtered = await filter.publisher("arm/filtered", { type: "object" });
  let mean = 0;
  filter.subscribe("arm/state", {
    onMessage: ({ value }) => {
      mean += 0.1 * ((value as { position: number }).position - mean);
      filtered.publish({ mean });
    },
  });
  const monitor = await replay.connect("monitor");
  monitor.subscribe("arm/filtered", { onMessage: ({ value }) => lines.push(`${replay.clock.monotonic()} ${JSON.stringify(value)}`) });
  void (async () => {
    for await (const { topic, value, time } of monitor.subscribe("tick")) lines.push(`${topic} ${JSON.stringify(value)} ${time}`);
  })();
  const everyTenth = () => {
    lines.push(`timer at ${replay.clock.monotonic()}: ${mean}`);
    replay.clock.setTimeout(everyTenth, 37);
  };
  replay.clock.setTimeout(everyTenth, 37);
  return lines;
}

test("programs compute the same numbers in each replay, in the order of simulated time", async () => {
  const path = await mcapFile(
    join(dir, "run.mcap"),
    [...STATES, ...TICKS].sort((a, b) => a.at - b.at),
  );
  const runs: string[][] = [];
  for (const _ of [1, 2]) {
    await using replay = await openReplay(path);
    const lines = await consumers(replay);
    expect(await replay.run()).toBe(210);
    expect(replay.problems).toEqual([]);
    runs.push(lines);
  }
  const [first = [], second] = runs;
  expect(first).toEqual(second);
  expect(first.filter((line) => line.startsWith("timer"))).toHaveLength(Math.floor(995 / 37));
  expect(first.filter((line) => line.startsWith("tick"))).toHaveLength(10);
  // What a filter computes from a message is seen before the next message and the next timer.
  expect(first.filter((line) => /^\d/.test(line)).map((line) => Number(line.split(" ")[0]))).toEqual(STATES.map(({ at }) => at));
  expect(first.indexOf('tick {"n":1} 1795694400102000000')).toBeLessThan(first.findIndex((line) => line.startsWith("105 ")));
});

test("a replay goes on where it was stopped, chooses topics, and tells the time", async () => {
  const path = await mcapFile(
    join(dir, "parts.mcap"),
    [...STATES, ...TICKS].sort((a, b) => a.at - b.at),
  );
  await using replay = await openReplay(path, { topics: ["tick"], remap: { tick: "old/tick" }, from: 0.5 });
  expect(replay.clock.now()).toBe(Date.parse("2026-11-26T12:00:00.500Z"));
  const client = await replay.connect("reader");
  const seen: unknown[] = [];
  client.subscribe("old/tick", { onMessage: ({ value }) => seen.push(value) });
  client.subscribe("mgr/clock", { onMessage: ({ value }) => seen.push((value as { time: string }).time) });
  expect(await replay.run({ until: 0.65 })).toBe(2);
  expect(replay.clock.now()).toBe(Date.parse("2026-11-26T12:00:00.650Z"));
  expect(seen).toEqual(["1795694400502000000", { n: 5 }, "1795694400602000000", { n: 6 }]);
  expect(await replay.run()).toBe(3);
  expect(await replay.run()).toBe(0);
});

test("a program that publishes a played topic is an error, not a mixture", async () => {
  const path = await mcapFile(join(dir, "conflict.mcap"), TICKS);
  await using replay = await openReplay(path);
  const client = await replay.connect("simulator");
  await client.publisher("tick");
  await expect(replay.run()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("'simulator'") });
});

test("misuse is refused by name", async () => {
  const path = await mcapFile(join(dir, "misuse.mcap"), TICKS);
  await expect(openReplay(path, { topic: [] } as object)).rejects.toThrow("openReplay has no option 'topic'");
  await expect(openReplay(path, { from: -1 })).rejects.toThrow("the option 'from' of openReplay must be a number of seconds");
  await expect(openReplay(path, { topics: ["none"] })).rejects.toMatchObject({ code: "not_found" });
});
