import { expect, test } from "vitest";
import { Conditions } from "../../../../src/app/conditions.ts";
import { watchNetworkProblems } from "../../../../src/features/network-statistics/manager/network-conditions.ts";
import type { NetworkProblem, NetworkStats } from "../../../../src/features/network-statistics/wire.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const DOWN: NetworkProblem = {
  severity: "error",
  kind: "link_down",
  message: "eth0 of a is down",
  host: "a",
  peer: null,
  interface: "eth0",
  child: null,
};
const AWAY: NetworkProblem = { ...DOWN, severity: "warning", kind: "unreachable", message: "b does not answer", host: "b" };

test("a problem of the network is a condition until a measurement does not find it", async () => {
  const clock = new SimulatedClock();
  const conditions = new Conditions((error) => {
    throw error;
  });
  const changes: string[] = [];
  conditions.subscribe((change) => changes.push(change.kind === "raised" ? change.condition.text : change.end));
  let problems: NetworkProblem[] | null = [DOWN, AWAY, { ...DOWN, severity: "info", message: "a trifle" }];
  const network = {
    stats: async () => {
      if (problems === null) throw new Error("no measurement");
      return { problems } as NetworkStats;
    },
  };
  const stop = watchNetworkProblems({ clock, conditions, network });
  await clock.settle();
  expect(changes).toEqual(["eth0 of a is down"]);
  problems = [{ ...DOWN, message: "eth0 of a is down, still" }];
  await clock.advance(60_000);
  problems = null;
  await clock.advance(60_000);
  expect(changes).toHaveLength(1);
  problems = [];
  await clock.advance(60_000);
  expect(changes).toEqual(["eth0 of a is down", "recovered"]);
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});
