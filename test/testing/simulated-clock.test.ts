import { describe, expect, it } from "vitest";
import { SimulatedClock } from "../../src/testing/index.ts";

describe("a simulated clock", () => {
  it("stands still until it is advanced", async () => {
    const clock = new SimulatedClock("2026-11-21T08:00:00.000");
    let fired = false;
    clock.setTimeout(() => {
      fired = true;
    }, 1);
    await clock.settle();
    expect([clock.now(), clock.monotonic(), fired]).toEqual([Date.UTC(2026, 10, 21, 8), 0, false]);
    expect(() => new SimulatedClock("yesterday")).toThrow(RangeError);
  });

  it("fires timers at their time and in their order, those set meanwhile included", async () => {
    const clock = new SimulatedClock();
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(`${name} ${clock.monotonic()}`);
    clock.setTimeout(note("late"), 100);
    clock.setTimeout(note("first of two"), 50);
    clock.setTimeout(note("second of two"), 50);
    const cancelled = clock.setTimeout(note("never"), 60);
    clock.setTimeout(() => {
      clock.clearTimeout(cancelled);
      clock.setTimeout(note("nested"), 20);
    }, 40);
    clock.setTimeout(note("beyond"), 101);
    await clock.advance(100);
    expect(fired).toEqual(["first of two 50", "second of two 50", "nested 60", "late 100"]);
    expect([clock.monotonic(), clock.pending]).toEqual([100, 1]);
  });

  it("runs promises before the next timer", async () => {
    const clock = new SimulatedClock();
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    const log: string[] = [];
    const one = async () => {
      await sleep(10);
      await Promise.resolve();
      log.push("one");
      await sleep(5);
      log.push("one again");
    };
    const two = async () => {
      await sleep(12);
      log.push("two");
    };
    await clock.until(Promise.all([one(), two()]));
    expect(log).toEqual(["one", "two", "one again"]);
    expect(clock.monotonic()).toBe(15);
  });

  it("until: settles as the promise does, and advances no more time than needed", async () => {
    const clock = new SimulatedClock();
    expect(await clock.until(Promise.resolve(7))).toBe(7);
    const failing = new Promise((_, reject) => clock.setTimeout(() => reject(new Error("no")), 30));
    await expect(clock.until(failing)).rejects.toThrow("no");
    expect(clock.monotonic()).toBe(30);
  });

  it("until: ends when nothing is left to wait for, or at its time limit", async () => {
    const clock = new SimulatedClock();
    await expect(clock.until(new Promise(() => {}))).rejects.toMatchObject({ code: "timeout" });
    expect(clock.monotonic()).toBe(0);
    const again = () => clock.setTimeout(again, 10);
    again();
    await expect(clock.until(new Promise(() => {}), { within: 100 })).rejects.toMatchObject({ code: "timeout" });
    expect(clock.monotonic()).toBe(100);
  });

  it("treats a delay of 0, or one that is no number, as one millisecond", async () => {
    const clock = new SimulatedClock();
    let fired = 0;
    for (const delay of [0, -5, Number.NaN, 0.5]) clock.setTimeout(() => fired++, delay);
    await clock.advance(1);
    expect(fired).toBe(4);
  });
});
