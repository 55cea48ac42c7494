import type { RunReport } from "../../../src/contract/run.ts";
import { WALL } from "../../actors/support/clock.ts";

/** What a host says of a run that has just begun. */
export function report(runId: string, overrides: Partial<RunReport> = {}): RunReport {
  return {
    name: "sim/world",
    run_id: runId,
    command: "run",
    spec_hash: "0123456789abcdef",
    pid: 4_711,
    start_time: WALL,
    stop_time: null,
    age_ms: 0,
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
    ...overrides,
  };
}

export function ended(code: number | null, signal: string | null = null): Partial<RunReport> {
  return { exit: { code, signal, reason: null } };
}
