import { expect, test } from "vitest";
import { loadConfigObject } from "../../../../src/config/load/load.ts";
import type { RunCheck } from "../../../../src/contract/run.ts";
import { TopicLimits } from "../../../../src/features/data-plane/manager/topics/topic-limits.ts";
import { ShownLimits } from "../../../../src/features/topic-health/manager/shown-limits.ts";

const configured = (processes: Record<string, object>) =>
  loadConfigObject(
    {
      instance: { name: "t" },
      processes: Object.fromEntries(Object.entries(processes).map(([name, keys]) => [name, { command: "x", ...keys }])),
    },
    { base_dir: "/", state_dir: "/nowhere" },
  ).processes;

test("a topic shows the limits that processes have for it, with the verdict of the present run", () => {
  let definitions = configured({
    arm: { ready: { topic: "arm/state", rate: 5 }, alive: { topic: "arm/state", min_rate: 900, max_gap: "100ms" } },
    watch: { ready: { topic: "arm/state" } },
    other: {},
  });
  let checks: RunCheck[] = [];
  const limits = new TopicLimits();
  const changes: string[][] = [];
  const shown = new ShownLimits({
    definitions: () => definitions,
    checksOf: (name) => (name === "arm" ? checks : []),
    replace: (name, named) => changes.push(limits.replace(name, named)),
  });
  const unknown = { met: null, since: null, problem: null };
  const ofArm = { min_rate: 900, max_gap_ms: 100, max_latency_ms: null };
  const ofWatch = { min_rate: null, max_gap_ms: null, max_latency_ms: null, ...unknown };
  shown.updateAll();
  expect(limits.of("topic.arm.state")).toEqual([{ ...ofArm, ...unknown }, ofWatch]);

  checks = [{ condition: "publishing", about: "arm/state", problem: "612 messages/s, at least 900 are expected", since: 1_000 }];
  shown.update("arm");
  const verdict = { met: false, since: "1970-01-01T00:00:01.000", problem: "612 messages/s, at least 900 are expected" };
  expect(limits.of("topic.arm.state")).toEqual([{ ...ofArm, ...verdict }, ofWatch]);
  shown.update("arm");
  expect(changes.at(-1), "nothing has changed").toEqual([]);

  definitions = configured({ watch: { ready: { topic: "arm/state" } } });
  shown.updateAll();
  expect(limits.of("topic.arm.state")).toEqual([ofWatch]);
});
