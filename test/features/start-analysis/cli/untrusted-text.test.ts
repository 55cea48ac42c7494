import { expect, test } from "vitest";
import { analysisText } from "../../../../src/features/start-analysis/cli/analysis-text.ts";
import { parseTime } from "../../../../src/protocol/time.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { ANALYSIS, START } from "../fake-start-analysis.ts";

const options = { now: parseTime("2026-11-21T08:14:10.000"), limit: 10, width: 200 };

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr analyze": (text) =>
    analysisText(
      {
        ...ANALYSIS,
        name: text,
        chain: ANALYSIS.chain.map((link) => ({ ...link, name: text })),
        processes: [{ ...START, name: text, after: text, outcome: "failed", failure: text }],
      },
      { ...options, width: 2_000 },
    ),
};

describeUntrustedText(PLACES);

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/start-analysis")).toEqual({ "src/features/start-analysis/cli/analyze.ts": 1 });
});
