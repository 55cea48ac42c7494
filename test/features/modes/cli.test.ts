import { expect, test } from "vitest";
import { modesText, planText } from "../../../src/features/modes/cli/mode.ts";
import { differencesFrom, differencesText } from "../../../src/features/modes/client/mode-text.ts";
import type { Mode } from "../../../src/features/modes/wire.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";

const process = (name: string, state: Process["state"], requested_state: Process["requested_state"]) =>
  ({ name, state, requested_state }) as Process;

const RUN: Mode = {
  name: "run",
  start: ["db", "world", "job"],
  stop: ["teach", "idle"],
  parameters: [],
  preset: null,
  fallback: "safe",
  active: { since: "2026-11-21T08:14:02.000", by: "mode x", step: null, failed: "arm", problems: ["'db' could not be started: \u001b[2J"] },
};
const PROCESSES = [
  process("db", "stopped", "stop"),
  process("world", "error", "start"),
  process("job", "stopped", "start"),
  process("teach", "started", "start"),
  process("idle", "stopped", "stop"),
];

test("a mode differs by processes that do not run as it says; a job that has ended is no difference", () => {
  expect(differencesFrom(RUN, PROCESSES)).toEqual({ missing: ["db", "world"], extra: ["teach"] });
  expect(differencesText({ missing: [], extra: [] })).toBe("");
});

test("the list of modes says who switched and why, what differs, and what could not be done, without control characters", () => {
  const text = modesText({ modes: [RUN, { ...RUN, name: "safe", fallback: null, active: null }], processes: PROCESSES });
  expect(text).toMatch(/run +3 +2 +safe +active since .*, because 'arm' of mode x failed; without db, world; also running: teach/);
  expect(text).toMatch(/safe +3 +2 +-/);
  expect(text).toContain("run: 'db' could not be started: ");
  expect(text).not.toContain("\u001b[2J");
  expect(modesText({ modes: [], processes: [] })).toBe("the configuration has no modes (docs/modes.md)");
});

test("the preview lists what stops, which parameters are set and what starts, in the order in which it is done", () => {
  const plan = { name: "run", stops: ["teach"], starts: ["db", "world"], confirm: [], parameters: [{ name: "rate", value: "10" }] };
  expect(planText(plan)).toBe("- teach, stops\n~ rate = 10\n+ db, starts\n+ world, starts");
  expect(planText({ ...plan, stops: [], starts: [], parameters: [] })).toBe("mode run: nothing to start or stop");
});
