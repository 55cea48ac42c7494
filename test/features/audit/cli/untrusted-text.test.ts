import { expect, test } from "vitest";
import { auditText } from "../../../../src/features/audit/cli/audit.ts";
import { verdict } from "../../../../src/features/audit/cli/verify.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { ENTRY } from "../fake-audit.ts";

const REPORT = { files: 1, records: 1, first: null, last: null, cuts: 1, lost: 2, endsInLine: true, problemCount: 2 };

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr audit": (text) =>
    auditText([
      {
        ...ENTRY,
        user: text,
        client: text,
        command: text,
        target: text,
        args: { text },
        outcome: "refused",
        code: "conflict",
        message: text,
      },
    ]),
  "mgr audit verify": (text) => verdict(text, { ...REPORT, problems: [{ file: text, line: 1, message: "is damaged" }] }).join("\n"),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/audit/cli/audit.ts": 4,
  "src/features/audit/cli/verify.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/audit")).toEqual(WRITES);
});

test("mgr audit has a row for each command, with its outcome and arguments", () => {
  const text = auditText([ENTRY, { ...ENTRY, command: "send_signal", args: { signal: "SIGHUP" }, outcome: "unknown" }]);
  expect(text).toMatch(/^TIME +USER +ROLE +FROM +THROUGH +COMMAND +TARGET +OUTCOME\n/);
  expect(text).toMatch(/ada +admin +10\.0\.0\.9:4711 +page +stop_process +sim\/world +accepted\n/);
  expect(text).toMatch(/send_signal +sim\/world +unknown: the manager ended {2}signal=SIGHUP$/);
});
