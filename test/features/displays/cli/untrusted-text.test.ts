import { expect, test } from "vitest";
import { writesOf } from "../../../support/suites/untrusted-text-suite.ts";

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/displays")).toEqual({ "src/features/displays/cli/gui.ts": 1 });
});
