import { expect, test } from "vitest";
import { reportText } from "../../../../src/features/import/cli/report.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

describeUntrustedText({
  "mgr import": (text) => {
    const place = { file: text, line: 1 };
    return reportText({
      kind: "supervisord",
      files: [text],
      processes: [text],
      carried: [],
      guessed: [{ process: "web", place, key: text, to: text, why: text }],
      dropped: [{ process: "web", place, key: text, why: text, instead: text }],
    });
  },
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  // The configuration itself, which may go to a file.
  "src/features/import/cli/import.ts": 2,
  // In the program that reads a file of JavaScript, into a pipe.
  "src/features/import/cli/kinds/pm2/run-javascript.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/import")).toEqual(WRITES);
});
