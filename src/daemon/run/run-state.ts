import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { HostEvent, HostLogWriter } from "../../contract/messages.ts";
import { type RunReport, type RunSpec, runReport, runSpec, specHash } from "../../contract/run.ts";
import { childUsage } from "../native/wait-status.ts";
import type { LogFile } from "../output/log-file.ts";
import type { OutputRing } from "../output/output-ring.ts";
import { terminalState } from "../output/terminal.ts";
import { program } from "../process/program.ts";
import { reapedRunState } from "../tree/reaped-run.ts";
import type { TreeReaper } from "../tree/tree-reaper.ts";
import type { Run } from "./run.ts";
import { runMonitorsState } from "./run-monitors.ts";
import { runStopState } from "./run-stop.ts";

export interface RunOptions {
  runId: string;
  spec: RunSpec;
  memo: string;
  /** Value of the marker variable of the whole tree. */
  marker: string;
  /** MGR_BUS_URL; null: none. */
  busUrl: string | null;
  /** Variables from the features of the host. */
  variables: Readonly<Record<string, string>>;
  ring: OutputRing;
  /** File that also receives the output. */
  logFile: LogFile | null;
  reaper: TreeReaper;
  clock: Clock;
  onChange: (kind: HostEvent["kind"], run: Run) => void;
  /** Called when the ring has grown. The bytes are borrowed. */
  onOutput: (name: string, bytes: Uint8Array) => void;
  log: HostLogWriter;
}

/** The options of a run of the program before this one; its state has the rest. */
export type TakenRunOptions = Omit<RunOptions, "runId" | "spec" | "memo" | "marker" | "busUrl" | "variables">;

/** A run's entry in the run table, without the derived fields. */
export type RunFacts = Omit<RunReport, "age_ms" | "stopping">;

/** The facts of a run that has just begun at an offset of its ring. `wall`: milliseconds since 1970. */
export function factsOf({ runId, spec, memo }: RunOptions, pid: number, { wall, offset }: { wall: number; offset: number }): RunFacts {
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
  beside: z.array(z.number().int().min(1)),
});
export type LivingRunState = z.infer<typeof livingRunState>;
export type RunState = z.infer<typeof runState>;
