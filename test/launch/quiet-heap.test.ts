import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { QuietHeap } from "../../src/launch/quiet-heap.ts";
import { bundled } from "../support/bundled.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("the flag of a real V8 is set, cleared in a burst, and set again", async () => {
  const program = await bundled("test/fixtures/quiet-heap.ts");
  expect((await promisify(execFile)(process.execPath, [program])).stdout).toBe("small, fast, small\n");
});

it("a small heap is preferred without collections, and a fast program in a burst", () => {
  vi.useFakeTimers();
  const preferred: boolean[] = [];
  const heap = new QuietHeap((small) => preferred.push(small));
  // A burst: the timer begins anew with each collection.
  for (const at of [0, 1_000, 2_000]) {
    vi.advanceTimersByTime(1_000);
    heap.collected("young", at);
  }
  vi.advanceTimersByTime(2_999);
  expect(preferred).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(preferred).toEqual([true]);

  // Now and then: of a program that is quiet, or of the collector that makes the heap small.
  for (const at of [10_000, 11_000]) heap.collected("young", at);
  for (const at of [11_100, 11_200]) heap.collected("all", at);
  vi.advanceTimersByTime(60_000);
  expect(preferred).toEqual([true]);

  heap.collected("young", 80_000);
  heap.collected("young", 80_100);
  expect(preferred).toEqual([true, false]);
  vi.advanceTimersByTime(3_000);
  expect(preferred).toEqual([true, false, true]);
});
