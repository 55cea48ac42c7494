import { expect, test } from "vitest";
import { eachHeartbeat } from "../../../src/app/hosts/common-beat.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { HEARTBEAT_MS } from "../../../src/contract/messages.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

test("heartbeats of all hosts share one timer, which ends with the last of them", async () => {
  const clock = new SimulatedClock();
  const beats: string[] = [];
  const endFirst = eachHeartbeat(clock, () => {
    beats.push("a");
    // A host that is lost while the others are served.
    endSecond();
  });
  const endSecond = eachHeartbeat(clock, () => beats.push("b"));
  const endThird = eachHeartbeat(clock, () => beats.push("c"));
  expect(clock.pending).toBe(1);
  await clock.advance(HEARTBEAT_MS);
  expect(beats).toEqual(["a", "c"]);
  endFirst();
  endFirst();
  expect(clock.pending).toBe(1);
  endThird();
  expect(clock.pending).toBe(0);
  endThird();
  const endAgain = eachHeartbeat(clock, () => beats.push("d"));
  await clock.advance(HEARTBEAT_MS);
  expect(beats).toEqual(["a", "c", "d"]);
  endAgain();
  expect(clock.pending).toBe(0);
});

test("heartbeats do not keep a program alive", () => {
  const timers: NodeJS.Timeout[] = [];
  const clock = {
    ...systemClock,
    setTimeout: (callback: () => void, milliseconds: number) => {
      const timer = setTimeout(callback, milliseconds);
      timers.push(timer);
      return timer;
    },
  };
  const end = eachHeartbeat(clock, () => {});
  expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
  end();
});
