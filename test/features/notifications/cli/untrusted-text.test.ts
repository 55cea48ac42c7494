import { expect, test } from "vitest";
import { historyText, rulesText, silencesText } from "../../../../src/features/notifications/cli/notifications.ts";
import type { Delivery, Silence } from "../../../../src/features/notifications/notification.ts";
import type { RuleOverview } from "../../../../src/features/notifications/wire.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { EXAMPLE } from "../example-notification.ts";

const AT = "2026-11-21T08:14:02.000";
const SILENCE: Silence = { id: "1f0c9a2b", pattern: "sim/*", until: AT, created: AT, by: "ada", reason: "new camera" };
const DELIVERY: Delivery = {
  notification: EXAMPLE,
  way: "team",
  way_kind: "webhook",
  state: "waiting",
  attempts: 2,
  next_attempt: AT,
  result: "503: busy",
  finished: null,
};
const RULE: RuleOverview = {
  name: "team",
  on: null,
  processes: null,
  tags: null,
  hosts: null,
  ways: ["team"],
  for: 0,
  group_by: "rule",
  group_wait: 5,
  at_most: 20,
  within: 3_600,
  repeat: null,
  quiet: [],
  quiet_now: false,
  recovered: true,
  matches: [{ kind: "failed", process: "arm", host: "robot", text: "process arm failed", since: AT, state: "pending", counts: AT }],
  more: 2,
};

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr notifications": (text) =>
    rulesText([{ ...RULE, name: text, matches: RULE.matches.map((match) => ({ ...match, kind: text, text })) }]),
  "mgr notifications, an idle rule": (text) => rulesText([{ ...RULE, name: text, ways: [text], matches: [], more: 0 }]),
  "mgr notifications --history": (text) =>
    historyText([{ ...DELIVERY, way: text, result: text, notification: { ...EXAMPLE, title: text } }]),
  "mgr silence list": (text) => silencesText([{ ...SILENCE, pattern: text, by: text, reason: text }]),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/notifications/cli/notifications.ts": 5,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/notifications")).toEqual(WRITES);
});

test("the tables of mgr notifications and mgr silence say when, what and how it went", () => {
  expect(rulesText([RULE])).toMatch(
    /^RULE +KIND +STATE +SINCE +WHAT\nteam +failed +counts at \S+ \d\d:\d\d +\S+ \d\d:\d\d +process arm failed\nteam: 2 more$/,
  );
  expect(rulesText([{ ...RULE, matches: [], more: 0 }])).toBe("team: nothing now; to team");
  expect(historyText([DELIVERY])).toMatch(/team +team +again at \S+ \d\d:\d\d: 503: busy +\[bench\] 2 problems, 1 over$/);
  expect(historyText([{ ...DELIVERY, state: "sent" }])).toContain("sent at attempt 2");
  expect(silencesText([SILENCE])).toMatch(/^ID +PATTERN +UNTIL +BY +REASON\n1f0c9a2b +sim\/\* +\S+ \d\d:\d\d +ada +new camera$/);
});
