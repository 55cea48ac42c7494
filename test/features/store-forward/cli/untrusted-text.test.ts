import { expect, test } from "vitest";
import { keptTable } from "../../../../src/features/store-forward/cli/kept.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const COUNTS = { samples: 12, bytes: 12_000, oldest_age_ms: 3_000, sent: 4, dropped: 5 };
const tableFor = (text: string) =>
  keptTable({
    is_named: true,
    topics: [{ ...COUNTS, topic: text, host: text, state: "unconfirmed", wait_ms: 2_000 }],
    other_topics: 1,
    away: [text],
  });

/** Every place that prints untrusted text, and what it prints. */
describeUntrustedText({ "mgr topic kept": tableFor });

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/store-forward")).toEqual({ "src/features/store-forward/cli/kept.ts": 1 });
});

test("a topic is shown with its figures, the reason why samples wait, and what is missing in the list", () => {
  expect(tableFor("a").split("\n")).toEqual([
    expect.stringMatching(/TOPIC +HOST +KEPT +SIZE +OLDEST +SENT +DROPPED +STATE/),
    expect.stringMatching(/^a +a +12 +12\.0 kB +3\.0 s +4 +5 +no subscriber confirms them; sent again in 2\.0 s$/),
    "1 further topic not shown.",
    "Not asked, because they cannot be reached: a.",
  ]);
});

test.each([
  { is_named: true, says: "No samples were kept." },
  { is_named: false, says: /'store_forward'/ },
])("says that there is nothing: $says", ({ is_named, says }) => {
  expect(keptTable({ is_named, topics: [], other_topics: 0, away: [] })).toMatch(says);
});
