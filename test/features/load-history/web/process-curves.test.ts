import { expect, test } from "vitest";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { curvePath } from "../../../../web/src/features/load-history/sections/curve-path.ts";
import {
  CURVES_EVERY_MS,
  CURVES_SOON_MS,
  CurvePoll,
  type CurveValues,
} from "../../../../web/src/features/load-history/sections/curve-poll.ts";

function rig() {
  const clock = new SimulatedClock();
  const asked: string[][] = [];
  let shown: ReadonlyMap<string, CurveValues> = new Map();
  let answer = (names: readonly string[]): Promise<ReadonlyMap<string, CurveValues>> =>
    Promise.resolve(new Map(names.filter((name) => name !== "unmeasured").map((name) => [name, [asked.length]])));
  const poll = new CurvePoll({
    ask: (names) => {
      asked.push([...names]);
      return answer(names);
    },
    onAnswer: (curves) => {
      shown = curves;
    },
    setTimeout: (run, milliseconds) => clock.setTimeout(run, milliseconds),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  });
  poll.switch(true);
  const fail = () => {
    answer = () => Promise.reject(new Error("the manager is away"));
  };
  return { clock, asked, poll, fail, curve: (name: string) => shown.get(name) };
}

test("rows that come into view together are requested at once, and again every 10 s while they are in view", async () => {
  const { clock, asked, poll, curve } = rig();
  const hide = ["a", "b", "unmeasured"].map((name) => poll.show(name));
  await clock.advance(CURVES_SOON_MS);
  expect(asked).toEqual([["a", "b", "unmeasured"]]);
  expect(curve("b")).toEqual([1]);
  hide[0]?.();
  await clock.advance(CURVES_EVERY_MS);
  expect(asked.slice(1)).toEqual([["b", "unmeasured"]]);
  // A row that returns shows its curve at once, and is requested with the others.
  expect(curve("a")).toEqual([1]);
  poll.show("a");
  await clock.advance(CURVES_EVERY_MS - 1);
  expect(asked).toHaveLength(2);
  poll.show("new");
  await clock.advance(CURVES_SOON_MS);
  expect(asked.at(-1)?.sort()).toEqual(["a", "b", "new", "unmeasured"]);
});

test("a new row does not wait for the next round; nothing is requested for a hidden page or without rows", async () => {
  const { clock, asked, poll } = rig();
  const hide = poll.show("a");
  await clock.advance(CURVES_SOON_MS);
  const hideNew = poll.show("b");
  await clock.advance(CURVES_SOON_MS);
  expect(asked).toEqual([["a"], ["a", "b"]]);
  poll.switch(false);
  await clock.advance(10 * CURVES_EVERY_MS);
  expect(asked).toHaveLength(2);
  poll.switch(true);
  await clock.advance(CURVES_SOON_MS);
  expect(asked).toHaveLength(3);
  hide();
  hideNew();
  await clock.advance(10 * CURVES_EVERY_MS);
  expect(asked).toHaveLength(3);
  expect(clock.pending).toBe(0);
});

test("after a request that failed the curves stay, and are requested again", async () => {
  const { clock, asked, poll, curve, fail } = rig();
  poll.show("a");
  await clock.advance(CURVES_SOON_MS);
  fail();
  await clock.advance(2 * CURVES_EVERY_MS);
  expect(asked).toHaveLength(3);
  expect(curve("a")).toEqual([1]);
});

test("a curve has gaps, a point between gaps is visible, and a process that hardly works is flat", () => {
  const size = { width: 40, height: 22 };
  expect(curvePath([0, 100, null, 50, null], size)).toBe("M0.0 21.0L0.0 21.0L10.0 1.0M30.0 11.0L30.0 11.0");
  expect(curvePath([1], size)).toBe("M0.0 20.0L0.0 20.0");
  expect(curvePath([], size)).toBe("");
});
