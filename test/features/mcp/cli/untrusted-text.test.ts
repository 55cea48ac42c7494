import { expect, test } from "vitest";
import { listText, sentenceOf } from "../../../../src/features/mcp/cli/questions.ts";
import type { Confirmation } from "../../../../src/features/mcp/wire.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const question: Confirmation = {
  id: "0123456789",
  agent: "token:ci",
  tool: "stop_process",
  action: "stop",
  name: "sim/world",
  host: "rt1",
  pid: 7,
  asked: "2026-11-21T08:14:02.123",
  until: "2026-11-21T08:17:02.123",
};

/** Every place that prints untrusted text, and what it prints. */
describeUntrustedText({
  "mgr agent questions, an agent": (text) => listText([{ ...question, agent: text }], Number.POSITIVE_INFINITY),
  "mgr agent questions, a process": (text) => listText([{ ...question, name: text }], Number.POSITIVE_INFINITY),
  "mgr agent questions --follow": (text) => sentenceOf({ ...question, agent: text }),
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/mcp/cli/questions.ts": 3 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/mcp")).toEqual(WRITES);
});
