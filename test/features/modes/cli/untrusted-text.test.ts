import { expect, test } from "vitest";
import { modesText, planText } from "../../../../src/features/modes/cli/mode.ts";
import type { Mode } from "../../../../src/features/modes/wire.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const plan = { name: "run", stops: [], starts: [], confirm: [], parameters: [] };
const active = { since: "2026-11-21T08:14:02.000", by: "ada", step: null, failed: null, problems: [] };
const mode: Mode = { name: "run", start: [], stop: [], parameters: [], preset: null, fallback: null, active };
const listed = (changes: Partial<Mode>) => modesText({ modes: [{ ...mode, ...changes }], processes: [] });

/** Every place that prints untrusted text, and what it prints. */
describeUntrustedText({
  "mgr mode, a name": (text) => listed({ name: text }),
  "mgr mode, a user": (text) => listed({ active: { ...active, by: text } }),
  "mgr mode, a problem": (text) => listed({ active: { ...active, problems: [text] } }),
  "a preview, processes": (text) => planText({ ...plan, stops: [text], starts: [text] }),
  "a preview, parameters": (text) => planText({ ...plan, parameters: [{ name: text, value: text }] }),
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/modes/cli/mode.ts": 5 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/modes")).toEqual(WRITES);
});
