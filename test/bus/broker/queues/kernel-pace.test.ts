import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KernelPace } from "../../../../src/bus/broker/queues/kernel-pace.ts";

const KIB = 1024;
let held = 0;
let ready = 0;
let pace: KernelPace;
beforeEach(() => {
  vi.useFakeTimers();
  [held, ready] = [0, 0];
  pace = new KernelPace(
    () => held,
    () => ready++,
  );
});
afterEach(() => {
  pace.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Writes so many bytes as the pace allows; returns the sizes of the pieces. */
function write(bytes: number): number[] {
  const pieces: number[] = [];
  for (let left = bytes; left > 0 && pace.room > 0; left -= pieces.at(-1) ?? 0) {
    pieces.push(Math.min(left, pace.room));
    pace.wrote(pieces.at(-1) ?? 0);
  }
  return pieces;
}

it("no further piece is written while the kernel holds the previous one, and the queue is called back when it does not", () => {
  expect(write(4 * KIB)).toEqual([4 * KIB]);
  held = 4 * KIB;
  expect(write(20 * KIB)).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ready).toBe(1);
  expect(pace.room).toBe(0);
  held = 0;
  vi.advanceTimersByTime(1);
  expect(ready).toBe(2);
  expect(pace.room).toBe(4 * KIB);
});

it("pieces grow as long as the kernel sends without delay, and are small again once it does not", () => {
  const pieces = write(16 * 1024 * KIB);
  expect(pieces[0]).toBe(4 * KIB);
  expect(Math.max(...pieces)).toBe(64 * KIB);
  for (const [index, piece] of pieces.slice(1, -1).entries()) expect(piece).toBeGreaterThanOrEqual(pieces[index] ?? 0);
  write(pace.room);
  held = 3 * KIB;
  expect(pace.room).toBe(0);
  held = 0;
  vi.advanceTimersByTime(1);
  expect(pace.room).toBe(4 * KIB);
});

it("pieces are not limited if the kernel sends at once", () => {
  const free = new KernelPace(undefined, () => ready++);
  free.wrote(1e9);
  expect([free.isOn, free.room]).toEqual([false, Number.POSITIVE_INFINITY]);
});
