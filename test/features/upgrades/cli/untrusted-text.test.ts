import { expect, test } from "vitest";
import { lineOf } from "../../../../src/features/upgrades/cli/upgrade.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

describeUntrustedText({
  "mgr upgrade, a host": (text) => lineOf({ host: text, from: text, to: text, problem: null }),
  "mgr upgrade, a host that was not replaced": (text) => lineOf({ host: text, from: text, to: null, problem: text }),
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/upgrades/cli/upgrade.ts": 1 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/upgrades")).toEqual(WRITES);
});
