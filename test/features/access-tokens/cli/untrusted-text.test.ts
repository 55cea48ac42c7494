import { expect, test } from "vitest";
import { aboutText, listText } from "../../../../src/features/access-tokens/cli/token.ts";
import type { AccessToken } from "../../../../src/features/access-tokens/wire.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const TOKEN: AccessToken = {
  name: "wall",
  role: "viewer",
  on: null,
  for_url: false,
  may_download: false,
  created: "2026-11-26T12:00:00.000",
  created_by: "ada",
  expires: "2026-12-03T12:00:00.000",
  valid: true,
};

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr token create": (text) => aboutText({ ...TOKEN, name: text, on: [text] }),
  "mgr token list": (text) => listText([{ ...TOKEN, name: text, on: [text], created_by: text }], 1_000),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/access-tokens/cli/token.ts": 3,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/access-tokens")).toEqual(WRITES);
});

test("mgr token list has a row for each token, and says which are not valid", () => {
  const text = listText([TOKEN, { ...TOKEN, name: "ci", on: ["sim/*", "arm/left"], valid: false }], 200);
  expect(text).toMatch(/^NAME +ROLE +ON +EXPIRES +CREATED BY\n/);
  expect(text).toMatch(/wall +viewer +everything +2026-12-03 12:00 UTC +ada\n/);
  expect(text).toMatch(/ci +viewer +sim\/\* arm\/left +2026-12-03 12:00 UTC +ada \(no admin any more: not valid\)$/);
});
