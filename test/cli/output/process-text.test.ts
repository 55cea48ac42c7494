import { expect, test } from "vitest";
import { remark } from "../../../src/cli/output/process-text.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { fakeProcess } from "../../support/fakes/fake-control.ts";

const NOW = Date.parse("2026-11-21T08:00:00.000Z");
const exit = { code: 3, signal: null, reason: null, time: "2026-11-21T07:59:59.000" };
const backoff = (next_start_time: string): Partial<Process> => ({ state: "backoff", exit, next_start_time });

test.each([
  [backoff("2026-11-21T08:00:11.200"), "exit code 3; restarts in 12 s"],
  [backoff("2026-11-21T08:04:10.000"), "exit code 3; restarts in 5 min"],
  [backoff("2026-11-21T07:59:59.999"), "exit code 3; restarts now"],
  [{ state: "error", exit }, "exit code 3"],
  [{ state: "waiting", waiting_for: ["db", "net"] }, "waiting for db, net"],
  [{ state: "stopped" }, "not started yet"],
  [{ state: "stopped", exit }, "exit code 3"],
  [{ state: "stopped", exit, requested_by: "ada" }, "stopped by ada"],
  [{ state: "started", needs_restart: true }, "restart to apply changes"],
  [{ state: "ready" }, ""],
] as const satisfies [Partial<Process>, string][])("a process %j: %s", (fields, text) => {
  expect(remark({ ...fakeProcess("a"), ...(fields as Partial<Process>) }, NOW)).toBe(text);
});

test("a stop by a user is shown with its time, and with the process that it belongs to", () => {
  const stopped = { ...fakeProcess("a"), requested_by: "ada", stopped_with: "db", requested_time: "2026-11-21T07:59:00.000" };
  expect(remark(stopped, NOW)).toMatch(/^stopped by ada with db at 2026-11-2\d \d\d:\d\d$/);
});
