import { expect, test } from "vitest";
import { isSettled, problemOf, resultOf, stepLine } from "../../../../src/features/rolling-restart/cli/step-text.ts";
import { type RestartStep, STEP_STATES } from "../../../../src/features/rolling-restart/wire.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const step = (name: string, state: RestartStep["state"], reason: string | null = null): RestartStep => ({
  name,
  id: "rolling-1",
  by: "ada",
  position: 1,
  total: 3,
  state,
  reason,
});

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr restart --rolling": (text) => stepLine(step(text, "failed", text)).trimEnd(),
  "the end of mgr restart --rolling": (text) => problemOf({ restarted: [text], failed: text, leftOut: [text] }) ?? "",
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/rolling-restart/cli/rolling.ts": 2 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/rolling-restart")).toEqual(WRITES);
});

test("the result names what was restarted, what failed and what was left out; a removed process counts as left out", () => {
  const all = [step("a", "done"), step("b", "failed", "exit code 7"), step("c", "left_out")].map((each) => ({
    name: each.name,
    step: each,
  }));
  expect(problemOf(resultOf([...all, { name: "d", step: null }]))).toBe(
    "the rolling restart ended because 'b' failed; restarted: 'a'; not restarted: 'c', 'd'",
  );
  expect(problemOf(resultOf(all.slice(0, 1)))).toBeNull();
  expect(problemOf(resultOf(all.slice(2)))).toBe("the rolling restart was cancelled; none was restarted; not restarted: 'c'");
  expect(STEP_STATES.filter((state) => isSettled(step("a", state)))).toEqual(["done", "failed", "left_out"]);
});
