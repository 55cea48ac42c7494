import { expect, test } from "vitest";
import { CrashThrottle } from "../../../../src/features/crash-reports/host/crash-throttle.ts";
import { REPORT_EVERY_MS } from "../../../../src/features/crash-reports/limits.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

function throttled() {
  const clock = new SimulatedClock();
  const made: [crash: string, skipped: number][] = [];
  const throttle = new CrashThrottle<string>(clock, (crash, skipped) => made.push([crash, skipped]));
  return { clock, made, throttle };
}

test("of many crashes the first gets a report at once, then the newest of each interval", async () => {
  const { clock, made, throttle } = throttled();
  for (let crash = 0; crash < 25; crash++) throttle.crashed("loop", `crash ${crash}`);
  expect(made).toEqual([["crash 0", 0]]);
  await clock.advance(REPORT_EVERY_MS);
  expect(made).toEqual([
    ["crash 0", 0],
    ["crash 24", 23],
  ]);
  throttle.crashed("loop", "later");
  await clock.advance(REPORT_EVERY_MS);
  expect(made.at(-1)).toEqual(["later", 0]);
  await clock.advance(REPORT_EVERY_MS);
  expect(made).toHaveLength(3);
  expect(clock.pending).toBe(0);
});

test("a process does not wait for another one", () => {
  const { made, throttle } = throttled();
  for (const name of ["a", "b", "c"]) throttle.crashed(name, name);
  expect(made).toEqual([
    ["a", 0],
    ["b", 0],
    ["c", 0],
  ]);
});

test("a crash whose report could not be made is counted by the next one", async () => {
  const { clock, made, throttle } = throttled();
  throttle.crashed("loop", "one");
  throttle.notMade("loop", 0);
  throttle.crashed("loop", "two");
  await clock.advance(REPORT_EVERY_MS);
  expect(made.at(-1)).toEqual(["two", 1]);
});
