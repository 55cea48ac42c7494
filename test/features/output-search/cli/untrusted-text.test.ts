import { expect, test } from "vitest";
import { warningText } from "../../../../src/features/output-search/cli/grep.ts";
import { hitText } from "../../../../src/features/output-search/cli/hit-text.ts";
import type { OutputHit } from "../../../../src/features/output-search/wire.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const hit = (text: string): OutputHit => ({
  name: text,
  host: text,
  run: null,
  place: null,
  file: null,
  time: null,
  line: text,
  is_cut: true,
  match: [0, text.length],
  before: [text],
  after: [text],
});

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr grep, a hit": (text) => hitText(hit(text)),
  "mgr grep, what is missing": (text) =>
    warningText({
      truncated: [{ host: text, by: "hits" }],
      unanswered: [{ host: text, reason: text }],
      problems: [{ host: text, problem: text }],
    }),
};

describeUntrustedText(PLACES);

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/output-search")).toEqual({ "src/features/output-search/cli/grep.ts": 2 });
});
