import { expect, test } from "vitest";
import { differencesText, presetsText, valuesText } from "../../../../src/features/presets/cli/preset.ts";
import type { Preset } from "../../../../src/features/presets/wire.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const preset: Preset = { name: "p", description: "", pattern: null, saved_by: "", saved_at: null, values: 1, problem: null };
const listed = (changes: Partial<Preset>) => presetsText([{ ...preset, ...changes }]);
const value = { service: "arm", parameter: "gain", value: "1" };
const difference = { ...value, result: "different", other: "2" } as const;

/** Every place that prints untrusted text, and what it prints. */
describeUntrustedText({
  "mgr preset list, a user and a pattern": (text) => listed({ saved_by: text, pattern: text }),
  "mgr preset list, a description": (text) => listed({ description: text }),
  "mgr preset list, a problem": (text) => listed({ problem: text }),
  "mgr preset show, names": (text) => valuesText([{ ...value, service: text, parameter: text }]),
  "mgr preset show, a value": (text) => valuesText([{ ...value, value: text }]),
  "mgr preset compare, names": (text) => differencesText([{ ...difference, service: text, parameter: text }], "now"),
  "mgr preset compare, values": (text) => differencesText([{ ...difference, value: text, other: text }], "now"),
});

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = { "src/features/presets/cli/preset.ts": 7 };

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/presets")).toEqual(WRITES);
});
