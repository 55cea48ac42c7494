import { expect, test } from "vitest";
import { type ConditionChange, Conditions } from "../../src/app/conditions.ts";

const FAILED = { kind: "failed", process: "a", host: "h", text: "a failed" };
const fail = (error: unknown) => {
  throw error;
};

test("a condition is raised once, with another text again, and cleared once", () => {
  const conditions = new Conditions(fail);
  const changes: string[] = [];
  conditions.subscribe((change: ConditionChange) =>
    changes.push(change.kind === "raised" ? `raised: ${change.condition.text}` : `cleared: ${change.end}`),
  );
  conditions.raise(FAILED);
  conditions.raise(FAILED);
  conditions.raise({ ...FAILED, host: "other", text: "a failed there" });
  conditions.raise({ ...FAILED, key: "2" });
  expect(conditions.present.size).toBe(2);
  conditions.clear(FAILED, "recovered");
  conditions.clear(FAILED, "recovered");
  expect(changes).toEqual(["raised: a failed", "raised: a failed there", "raised: a failed", "cleared: recovered"]);
});

test("a source runs while there is a reader, also one that is added later", () => {
  const conditions = new Conditions(fail);
  const events: string[] = [];
  const source = (name: string) => () => {
    events.push(`${name} starts`);
    return () => events.push(`${name} stops`);
  };
  conditions.addSource(source("disks"));
  const [first, second] = [conditions.subscribe(() => {}), conditions.subscribe(() => {})];
  conditions.addSource(source("network"));
  first();
  first();
  expect(events).toEqual(["disks starts", "network starts"]);
  second();
  expect(events.slice(2)).toEqual(["disks stops", "network stops"]);
});

test("a flood of conditions is bounded", () => {
  const conditions = new Conditions(fail);
  for (let at = 0; at < 20_010; at++) conditions.raise({ ...FAILED, process: String(at) });
  expect(conditions.present.size).toBe(20_000);
});
