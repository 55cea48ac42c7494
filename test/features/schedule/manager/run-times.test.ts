import { describe, expect, it, test } from "vitest";
import { afterClockStep, dueRun, MAX_LATE_MS, nextTime, withinReach } from "../../../../src/features/schedule/manager/run-times.ts";
import type { Timing } from "../../../../src/features/schedule/schedule.ts";

const HOUR = 3_600_000;
const at = (time: string) => Date.parse(time);
const cron = (pattern: string, timezone: string | null = "Europe/Berlin"): Timing => ({ kind: "cron", pattern, timezone });
const every = (period_ms: number): Timing => ({ kind: "every", period_ms });

/** The next `count` times, in UTC. */
function times(timing: Timing, after: string, count: number): string[] {
  const found: string[] = [];
  for (let next = nextTime(timing, at(after)); next !== null && found.length < count; next = nextTime(timing, next))
    found.push(new Date(next).toISOString().slice(0, 16));
  return found;
}

describe("in Berlin, where 02:00 to 03:00 does not exist on 29 March and comes twice on 25 October 2026,", () => {
  it.each([
    ["a fixed time in the gap begins right after it", "30 2 * * *", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
    ["a list of hours is a fixed time, too", "30 2,14 * * *", "2026-03-28T20:00Z", ["2026-03-29T01:00", "2026-03-29T12:30"]],
    ["steps leave the gap out", "*/30 * * * *", "2026-03-29T00:20Z", ["2026-03-29T00:30", "2026-03-29T01:00"]],
    ["a fixed time that comes twice counts once", "30 2 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
    ["steps count both times", "*/30 * * * *", "2026-10-25T00:20Z", ["2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30"]],
  ])("%s", (_rule, pattern, after, expected) => {
    expect(times(cron(pattern), after, expected.length)).toEqual(expected);
  });
});

test("a period counts from start to start, also over a change of the clocks", () => {
  expect(times(every(12 * HOUR), "2026-03-28T20:00Z", 2)).toEqual(["2026-03-29T08:00", "2026-03-29T20:00"]);
});

test("many times that have passed make one run; it was missed if the newest of them was due long ago", () => {
  const now = at("2026-06-01T12:00:10Z");
  expect(dueRun(cron("* * * * *"), now - 5 * HOUR, now)).toEqual({ handled: now, isMissed: false });
  expect(dueRun(cron("0 9 * * *", "UTC"), now - 100 * HOUR, now)).toEqual({ handled: now, isMissed: true });
  expect(dueRun(cron("0 9 * * *", "UTC"), now - HOUR, now)).toBeNull();
  // The period's times stay where they were.
  expect(dueRun(every(60_000), now - 5 * HOUR - 12_000, now)).toEqual({ handled: now - 12_000, isMissed: false });
  expect(dueRun(every(HOUR), now - 5 * HOUR - MAX_LATE_MS - 1, now)).toEqual({ handled: now - MAX_LATE_MS - 1, isMissed: true });
  expect(dueRun(every(HOUR), now - HOUR + 1, now)).toBeNull();
});

test("a clock that is set moves periods along with it, and makes no time of a cron expression come twice unless it was wrong by hours", () => {
  const now = at("2026-06-01T12:00:00Z");
  const before = now - 1_000;
  expect(afterClockStep(every(HOUR), before, { step: 5 * HOUR, now: now + 5 * HOUR })).toBe(before + 5 * HOUR);
  expect(afterClockStep(every(HOUR), before, { step: -5 * HOUR, now: now - 5 * HOUR })).toBe(before - 5 * HOUR);
  expect(afterClockStep(cron("0 12 * * *", "UTC"), now, { step: -HOUR, now: now - HOUR })).toBe(now);
  expect(afterClockStep(cron("0 12 * * *", "UTC"), now, { step: -4 * HOUR, now: now - 4 * HOUR })).toBe(now - 4 * HOUR);
  expect(withinReach(every(HOUR), now + 1, now)).toBe(now);
});
