import { expect, test } from "vitest";
import type { HostEvent } from "../../../../src/contract/messages.ts";
import type { RunReport, RunSpec } from "../../../../src/contract/run.ts";
import { Failures } from "../../../../src/features/crash-reports/host/failure.ts";
import { spec } from "../../../daemon/support/hosts.ts";

const REPORT: RunReport = {
  name: "p",
  run_id: "1-1",
  spec_hash: "",
  command: "",
  pid: 1,
  start_time: 0,
  stop_time: null,
  age_ms: 5_000,
  ready: false,
  unhealthy: null,
  changed_file: null,
  stopping: false,
  exit: null,
  extinct: false,
  first_offset: 0,
  final_offset: null,
  rows: 24,
  cols: 80,
  memo: "",
};

function ended(
  end: Partial<RunReport["exit"]>,
  { crash = {}, before = [] }: { crash?: Partial<RunSpec["crash"]>; before?: [HostEvent["kind"], Partial<RunReport>][] } = {},
) {
  const failures = new Failures();
  const runSpec = spec("p", "", { crash: { success_exit_codes: [0, 7], ready_timeout_ms: null, restarts: 0, ...crash } });
  let report = REPORT;
  const changed = (kind: HostEvent["kind"], changes: Partial<RunReport>) => {
    report = { ...report, ...changes };
    return failures.changed(kind, { report, spec: runSpec, dumpedCore: false, usage: null });
  };
  for (const [kind, changes] of before) expect(changed(kind, changes)).toBeNull();
  return changed("exited", { exit: { code: null, signal: null, reason: null, ...end } });
}

test("an exit code that is no success and a signal are failures", () => {
  expect(ended({ code: 3 })).toBe("");
  expect(ended({ signal: "SIGKILL" })).toBe("");
  for (const code of [0, 7]) expect(ended({ code })).toBeNull();
  expect(ended({})).toBeNull();
});

test("a run that was requested to stop has not failed, however it ends", () => {
  expect(ended({ signal: "SIGSEGV" }, { before: [["stopping", { stopping: true }]] })).toBeNull();
});

test("a run that is stopped because its liveness check failed has failed", () => {
  const before: [HostEvent["kind"], Partial<RunReport>][] = [
    ["unhealthy", { unhealthy: "no answer" }],
    ["stopping", { stopping: true }],
  ];
  expect(ended({ code: 0 }, { before })).toContain("no answer");
});

test("a run that is stopped because it was not ready in time has failed", () => {
  const crash = { ready_timeout_ms: 5_000 };
  expect(ended({ signal: "SIGTERM" }, { crash, before: [["stopping", { stopping: true }]] })).toContain("not ready within 5 s");
  expect(ended({ signal: "SIGTERM" }, { crash, before: [["stopping", { stopping: true, ready: true }]] })).toBeNull();
  expect(ended({ signal: "SIGTERM" }, { crash, before: [["stopping", { stopping: true, age_ms: 4_999 }]] })).toBeNull();
});
