import type { RunSpec } from "../../../contract/run.ts";
import type { CrashReport } from "../report.ts";
import type { SeenRun } from "./seen-runs.ts";

/** A run that has failed, with what is known at that moment. Times are of the wall clock, milliseconds. */
export interface Crash {
  readonly runId: string;
  readonly spec: RunSpec;
  readonly specHash: string;
  readonly pid: number | null;
  readonly startTime: number | null;
  readonly endTime: number;
  readonly code: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
  readonly dumpedCore: boolean;
  /** Place of its output in the ring; null: it never ran. */
  readonly output: { readonly from: number; readonly until: number } | null;
  readonly seen: SeenRun | null;
  /** Counted when it ended: its cgroup is gone later. */
  readonly oom: Pick<CrashReport["kernel"], "oom_kills" | "oom_problem">;
}
