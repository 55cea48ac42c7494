import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readStat } from "../../../../src/daemon/proc/proc.ts";
import { MemoryDetails, parseRollup } from "../../../../src/features/load-history/host/memory-details.ts";
import { MEMORY_DETAIL_MS } from "../../../../src/features/load-history/series.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

function self() {
  const stat = readStat(process.pid);
  if (stat === null) throw new Error("this process is not in /proc");
  return { pid: stat.pid, startTime: stat.startTime };
}

test("the memory of a tree is that of its living processes, and is not measured again for 10 s", async () => {
  const clock = new SimulatedClock();
  let measured = 0;
  const details = new MemoryDetails(clock, () => {
    measured++;
    // The second has ended, and its pid belongs to another process now.
    return [self(), { ...self(), startTime: "1" }];
  });
  const first = await details.measure("p");
  expect(first).toMatchObject({ processes: 1, unknown: 0 });
  const rss = 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  expect(first.pss).toBeGreaterThan(rss / 10);
  expect(first.pss).toBeLessThan(rss * 2);
  expect(first.private).toBeLessThanOrEqual(first.pss ?? 0);
  expect(await details.measure("p")).toBe(first);
  await clock.advance(MEMORY_DETAIL_MS);
  await details.measure("p");
  expect(measured).toBe(2);
});

test("a process that does not run has no memory, and the refusal is not kept", async () => {
  const trees = [[], [self()]];
  const details = new MemoryDetails(new SimulatedClock(), () => trees.shift() ?? []);
  await expect(details.measure("p")).rejects.toMatchObject({ code: "not_running" });
  expect(await details.measure("p")).toMatchObject({ processes: 1 });
});

test("a summary of the kernel is read as bytes, also without the fields of newer kernels", () => {
  const text =
    "55d0-7ffd ---p 00000000 00:00 0    [rollup]\nRss:    9000 kB\nPss:    4000 kB\nPrivate_Clean:  100 kB\nPrivate_Dirty:  200 kB\nSwapPss:   7 kB\n";
  expect(parseRollup(text)).toEqual({ pss: 4_096_000, private: 307_200, swap: 7_168 });
  expect(parseRollup("Pss:   1 kB\n")).toEqual({ pss: 1_024, private: 0, swap: 0 });
  expect(parseRollup("")).toBeNull();
});
