import { expect, test } from "vitest";
import { findingLines } from "../../../../src/features/doctor/cli/doctor.ts";

test("findings are printed without characters that act on a terminal", () => {
  const finding = {
    check: "host \u001b[2J",
    level: "error",
    found: "used by pid 1 (\u001b]0;x\u0007)",
    advice: "first\nsecond \u202e",
  } as const;
  const lines = findingLines(finding);
  expect(lines).toHaveLength(3);
  expect(lines.join("")).not.toMatch(/\p{Cc}|\p{Cf}/u);
});
