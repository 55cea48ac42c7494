import { z } from "zod";
import { type RunReport, type RunSpec, runReport, runSpec, specHash } from "../../contract/run.ts";
import { childUsage } from "../native/wait-status.ts";
import { terminalState } from "../output/terminal.ts";
import { program } from "../process/program.ts";
import { reapedRunState } from "../tree/reaped-run.ts";
import { runMonitorsState } from "./run-monitors.ts";
import { runStopState } from "./run-stop.ts";

/** A run's entry in the run table, without the derived fields. */
export type RunFacts = Omit<RunReport, "age_ms" | "stopping">;

/** The facts of a run that has just begun at an offset of its ring. `wall`: milliseconds since 1970. */
export function factsOf(
  { runId, spec, memo }: { runId: string; spec: RunSpec; memo: string },
  pid: number,
  { wall, offset }: { wall: number; offset: number },
): RunFacts {
  return {
    name: spec.name,
    run_id: runId,
    spec_hash: specHash(spec),
    command: spec.command,
    pid,
    start_time: wall,
    stop_time: null,
    ready: false,
    unhealthy: null,
    changed_file: null,
    exit: null,
    extinct: false,
    first_offset: offset,
    final_offset: null,
    rows: spec.terminal.rows,
    cols: spec.terminal.cols,
    memo,
  };
}

export const runState = z.object({
  /** The run id is among the facts. */
  facts: runReport.omit({ age_ms: true, stopping: true }),
  spec: runSpec,
  /** Time of the kernel's clock. */
  started_at: z.number(),
  resized_at: z.number().nullable(),
  stopping: z.boolean(),
});

/** A run that is not extinct, when the daemon replaces its program. Its terminal's descriptors are handed over beside it. */
export const livingRunState = runState.extend({
  program,
  tag: z.number().nullable(),
  terminal: terminalState,
  tree: reapedRunState,
  stop: runStopState.nullable(),
  monitors: runMonitorsState,
  usage: childUsage.nullable(),
  dumped_core: z.boolean(),
  /** Pids of programs that run beside it: probes. */
  beside: z.array(z.int().min(1)),
});
export type LivingRunState = z.infer<typeof livingRunState>;
export type RunState = z.infer<typeof runState>;
