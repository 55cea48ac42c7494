import { expect, test } from "vitest";
import { writesOf } from "../../../support/untrusted-text-suite.ts";

/** How often each file writes to a terminal. Names are those of the manager's answer, which leaves out what acts on a terminal. */
const WRITES = {
  "src/features/completion/cli/install.ts": 1,
  "src/features/completion/cli/names.ts": 1,
  "src/features/completion/cli/quick-names.ts": 1,
  "src/features/completion/cli/shells/script.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/completion")).toEqual(WRITES);
});
