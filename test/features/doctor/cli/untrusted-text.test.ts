import { expect, test } from "vitest";
import { findingText } from "../../../../src/features/doctor/cli/doctor.ts";
import { error } from "../../../../src/features/doctor/cli/finding.ts";
import { describeUntrustedText, writesOf } from "../../../support/untrusted-text-suite.ts";

describeUntrustedText({ "mgr doctor": (text) => findingText(error(text, text, `${text}\n${text}`)) });

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/doctor/cli/doctor.ts": 1 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/doctor")).toEqual(WRITES);
});
