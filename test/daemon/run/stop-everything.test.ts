import { expect, test } from "vitest";
import type { HostedRun } from "../../../src/daemon/run/extinct-run.ts";
import { killEverything } from "../../../src/daemon/run/stop-everything.ts";
import { testClock } from "../../actors/support/clock.ts";
import { settled } from "../../app/support/scripted-link.ts";

/** A run whose tree ends by `kill`, only by `killNow`, or not at all. */
function runEndingBy(means: "kill" | "killNow" | "nothing") {
  const calls: string[] = [];
  let end = () => {};
  const whenExtinct = new Promise<void>((resolve) => {
    end = resolve;
  });
  const called = (name: string) => () => {
    calls.push(name);
    if (name === means) end();
  };
  return { calls, run: { whenExtinct, isExtinct: false, kill: called("kill"), killNow: called("killNow") } as unknown as HostedRun };
}

test("a tree that the sweeps have not reached in time is killed at once, and survivors of that are reported", async () => {
  const clock = testClock();
  const [usual, late, stuck] = [runEndingBy("kill"), runEndingBy("killNow"), runEndingBy("nothing")];
  let left: HostedRun[] | null = null;
  void killEverything([usual.run, late.run, stuck.run], clock).then((runs) => {
    left = runs;
  });
  await settled();
  expect([late.calls, stuck.calls]).toEqual([["kill"], ["kill"]]);
  clock.advance(10_000);
  await settled();
  expect([usual.calls, late.calls, stuck.calls]).toEqual([["kill"], ["kill", "killNow"], ["kill", "killNow"]]);
  expect(left).toBe(null);
  clock.advance(10_000);
  await settled();
  expect(left).toEqual([stuck.run]);
});
