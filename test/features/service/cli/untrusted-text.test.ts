import { expect, test } from "vitest";
import { writesOf } from "../../../support/untrusted-text-suite.ts";

/** How often each file writes to a terminal: names and paths that the user gives, and what systemd says of the unit, both made visible. */
const WRITES = {
  "src/features/service/cli/install.ts": 5,
  "src/features/service/cli/status.ts": 1,
  "src/features/service/cli/uninstall.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/service")).toEqual(WRITES);
});
