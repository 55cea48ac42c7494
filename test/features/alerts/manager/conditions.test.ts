import { expect, test } from "vitest";
import { Conditions } from "../../../../src/app/conditions.ts";
import { raiseCondition } from "../../../../src/features/alerts/manager/conditions.ts";
import { MATCHED, SILENT } from "../fake-alerts.ts";

test("each reason of an alert is a condition: a silence recovers, a match is only dismissed", () => {
  const conditions = new Conditions((error) => {
    throw error;
  });
  const changes: string[] = [];
  conditions.subscribe((change) =>
    changes.push(
      change.kind === "raised" ? `${change.condition.kind}: ${change.condition.text}` : `${change.condition.kind} ${change.end}`,
    ),
  );
  const { name } = SILENT;
  raiseCondition(conditions, { kind: "raised", reason: "silent", name, alert: SILENT });
  raiseCondition(conditions, { kind: "raised", reason: "output", name, alert: MATCHED });
  raiseCondition(conditions, { kind: "cleared", reason: "silent", name, alert: SILENT });
  raiseCondition(conditions, { kind: "cleared", reason: "output", name, alert: MATCHED });
  expect(changes).toEqual([
    "output_silent: process sim/world: no output since 2026-11-21T08:14:02.000 UTC",
    "output_matched: process sim/world: its output matched at 2026-11-21T08:14:02.000 UTC: ERROR: the arm is lost",
    "output_silent recovered",
    "output_matched ended",
  ]);
});
