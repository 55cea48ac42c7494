import { expect, test } from "vitest";
import { usageCsv, usageText } from "../../../../src/features/load-history/cli/usage-text.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { HISTORY } from "../fake-load-history.ts";

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr usage": (text) => usageText({ ...HISTORY, name: text, host: text }),
  "mgr usage --csv": (text) => [...usageCsv([{ ...HISTORY, name: text, host: text }])].join("\n"),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/load-history/cli/usage.ts": 3,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/load-history")).toEqual(WRITES);
});
