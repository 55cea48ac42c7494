import { expect, test } from "vitest";
import { Conditions } from "../../../../src/app/conditions.ts";
import { raiseCondition } from "../../../../src/features/limits/manager/conditions.ts";
import type { LimitChange } from "../../../../src/features/limits/manager/limits.ts";

test("a limit that a process has reached is a condition until it is no longer reported, each measure by itself", () => {
  const conditions = new Conditions((error) => {
    throw error;
  });
  const change = (kind: LimitChange["kind"], measure: string) =>
    raiseCondition(conditions, { kind, name: "a", host: "h", limit: { measure }, text: `${measure} over` } as LimitChange);
  change("reached", "memory");
  change("reached", "cpu");
  expect([...conditions.present.values()].map(({ kind, text }) => [kind, text])).toEqual([
    ["limit_reached", "process a: memory over"],
    ["limit_reached", "process a: cpu over"],
  ]);
  change("ended", "memory");
  expect([...conditions.present.values()].map(({ text }) => text)).toEqual(["process a: cpu over"]);
});
