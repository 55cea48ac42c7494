import { describe, expect, test, vi } from "vitest";
import { poll, resolvesWithin, until, untilAborted, untilWithin, withFallback, withTimeout } from "../../../src/base/timing/wait.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

const never = new Promise<never>(() => {});
const forEver = new AbortController().signal;

describe("withTimeout", () => {
  const late = () => new Error("too late");

  test("settles as the promise does, and leaves no timer", async () => {
    const clock = new SimulatedClock();
    const clear = vi.spyOn(clock, "clearTimeout");
    await expect(withTimeout(Promise.resolve(1), 100, late, clock)).resolves.toBe(1);
    await expect(withTimeout(Promise.reject(new Error("failed")), 100, late, clock)).rejects.toThrow("failed");
    await clock.settle();
    expect(clear).toHaveBeenCalledTimes(2);
  });

  test("rejects after the time, and ignores a later failure", async () => {
    const clock = new SimulatedClock();
    let fail = (_error: Error) => {};
    const promise = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const outcome = expect(withTimeout(promise, 100, late, clock)).rejects.toThrow("too late");
    await clock.advance(100);
    await outcome;
    fail(new Error("unhandled"));
    await clock.settle();
  });
});

test("withFallback resolves with the fallback after the time, and rejects with what the fallback throws", async () => {
  const clock = new SimulatedClock();
  const isCalled = vi.fn(() => 2);
  await expect(withFallback(Promise.resolve(1), 100, isCalled, clock)).resolves.toBe(1);
  const late = withFallback(never, 100, isCalled, clock);
  const failed = expect(
    withFallback(
      never,
      100,
      () => {
        throw new Error("no fallback");
      },
      clock,
    ),
  ).rejects.toThrow("no fallback");
  await clock.advance(100);
  expect([await late, isCalled.mock.calls.length]).toEqual([2, 1]);
  await failed;
});

test("resolvesWithin tells whether the promise is fulfilled in time, and rejects as it does", async () => {
  const clock = new SimulatedClock();
  await expect(resolvesWithin(Promise.resolve(), 100, clock)).resolves.toBe(true);
  await expect(resolvesWithin(Promise.reject(new Error("failed")), 100, clock)).rejects.toThrow("failed");
  const late = resolvesWithin(never, 100, clock);
  await clock.advance(100);
  await expect(late).resolves.toBe(false);
});

const listeners = new Set<() => void>();
const subscribe = (check: () => void) => {
  listeners.add(check);
  return () => listeners.delete(check);
};
const notify = () => {
  for (const check of [...listeners]) check();
};

describe("until", () => {
  test("resolves at once if the condition holds, also by a call during the subscription", async () => {
    await until(() => true, subscribe, forEver);
    let calls = 0;
    const left = vi.fn();
    const early = (check: () => void) => {
      check();
      return left;
    };
    await until(() => ++calls > 0, early, forEver);
    expect([calls, left.mock.calls.length, listeners.size]).toEqual([1, 1, 0]);
  });

  test("resolves after the notification with which the condition holds", async () => {
    let value = 0;
    const resolved = vi.fn();
    const waiting = until(() => value > 1, subscribe, forEver).then(resolved);
    for (value = 1; value < 3; value++) {
      await Promise.resolve();
      expect(resolved).not.toHaveBeenCalled();
      notify();
    }
    await waiting;
    expect(listeners.size).toBe(0);
  });

  test("rejects with what the condition throws, and with the reason of the signal", async () => {
    let isBroken = false;
    const broken = until(
      () => {
        if (isBroken) throw new Error("broken");
        return false;
      },
      subscribe,
      forEver,
    );
    isBroken = true;
    notify();
    await expect(broken).rejects.toThrow("broken");
    const end = new AbortController();
    const ended = until(() => false, subscribe, end.signal);
    end.abort(new Error("over"));
    await expect(ended).rejects.toThrow("over");
    await expect(until(() => true, subscribe, end.signal)).rejects.toThrow("over");
    expect(listeners.size).toBe(0);
  });
});

describe("untilWithin", () => {
  test("resolves with true once the condition holds, and leaves no timer and no listener", async () => {
    const clock = new SimulatedClock();
    const clear = vi.spyOn(clock, "clearTimeout");
    let isMet = false;
    const met = untilWithin(() => isMet, subscribe, { forMs: 100, clock });
    isMet = true;
    notify();
    await expect(met).resolves.toBe(true);
    await expect(untilWithin(() => true, subscribe, { forMs: 100, clock })).resolves.toBe(true);
    expect([clear.mock.calls.length, listeners.size]).toEqual([2, 0]);
  });

  test("resolves with false after the time", async () => {
    const clock = new SimulatedClock();
    const late = untilWithin(() => false, subscribe, { forMs: 100, clock });
    await clock.advance(100);
    expect([await late, listeners.size]).toEqual([false, 0]);
  });

  test("rejects with the reason of the signal, and leaves no timer and no listener", async () => {
    const clock = new SimulatedClock();
    const clear = vi.spyOn(clock, "clearTimeout");
    const end = new AbortController();
    const ended = untilWithin(() => false, subscribe, { forMs: 100, clock, signal: end.signal });
    end.abort(new Error("over"));
    await expect(ended).rejects.toThrow("over");
    expect([clear.mock.calls.length, listeners.size]).toEqual([1, 0]);
  });
});

test("untilAborted rejects with the reason, before and after the call", async () => {
  const end = new AbortController();
  const waiting = untilAborted(end.signal);
  end.abort(new Error("over"));
  await expect(waiting).rejects.toThrow("over");
  await expect(untilAborted(end.signal)).rejects.toThrow("over");
});

test("poll asks again until the condition holds or the time is over", async () => {
  const clock = new SimulatedClock();
  const isMet = vi.fn(() => isMet.mock.calls.length > 2);
  const met = poll(isMet, { everyMs: 10, forMs: 100, clock });
  await clock.advance(20);
  expect([await met, isMet.mock.calls.length]).toEqual([true, 3]);
  const late = poll(() => false, { everyMs: 10, forMs: 25, clock });
  await clock.advance(30);
  await expect(Promise.race([late, never])).resolves.toBe(false);
});
