import { expect, test } from "vitest";
import { WATCH_MS } from "../../../../src/features/load-history/contract.ts";
import { Watches } from "../../../../src/features/load-history/host/watches.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

test("processes are watched until others are requested, or it is not renewed in time", async () => {
  const clock = new SimulatedClock();
  let changes = 0;
  const watches = new Watches(clock, () => changes++);
  watches.request(["a", "b"]);
  await clock.advance(WATCH_MS - 1);
  watches.request(["b", "a"]);
  await clock.advance(WATCH_MS - 1);
  expect([...watches.names]).toEqual(["a", "b"]);
  expect(changes).toBe(1);
  await clock.advance(1);
  expect(watches.names.size).toBe(0);
  expect(changes).toBe(2);
  expect(clock.pending).toBe(0);
});
