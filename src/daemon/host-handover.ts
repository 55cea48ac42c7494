import { z } from "zod";
import { MgrError } from "../base/errors.ts";
import type { HandedOver } from "../base/handed-over.ts";
import type { Clock } from "../base/timing/clock.ts";
import { resolvesWithin } from "../base/timing/wait.ts";
import { HEARTBEAT_LOST_MS } from "../contract/messages.ts";
import { KernelTimes } from "./handover/kernel-times.ts";
import { type HostOutput, outputState } from "./output/host-output.ts";
import type { TerminalEnds } from "./output/terminal.ts";
import type { HostedRun } from "./run/extinct-run.ts";
import { Run } from "./run/run.ts";
import type { RunStarter } from "./run/run-starter.ts";
import { livingRunState, runState } from "./run/run-state.ts";
import { failedStarts, type RunTable } from "./run/run-table.ts";
import { type ManagerLostTimer, managerLostState } from "./session/manager-lost-timer.ts";
import { knownManager, type ManagerSession } from "./session/manager-session.ts";
import type { Supervisor } from "./supervision/supervisor.ts";
import { supervisorState } from "./supervision/supervisor-state.ts";

/** Name of the host's part of what is handed over. */
export const HOST_SECTION = "host";
/** Time limit for starts in progress before the program is replaced, milliseconds. */
const STARTS_MS = 5_000;

/**
 * The state of a host whose daemon replaces its program. `descriptors` are the terminals of its living runs and the file with its output, `bytes` what
 * that file does not have.
 */
export const hostState = z.object({
  /** Sequence number of the last event. */
  seq: z.int().min(0),
  manager: knownManager,
  manager_lost: managerLostState,
  living: z.array(livingRunState),
  extinct: z.array(runState),
  failed: failedStarts,
  output: outputState,
  supervisor: supervisorState,
});
export type HostState = z.infer<typeof hostState>;

interface HostParts {
  readonly clock: Clock;
  readonly runs: RunTable<HostedRun>;
  readonly starter: RunStarter;
  readonly output: HostOutput;
  readonly supervisor: Supervisor<HostedRun>;
  readonly session: ManagerSession;
  readonly managerLost: ManagerLostTimer;
  readonly seq: () => number;
}

/** Hands the runs of a host to the program that replaces this one, and takes them over from the one before. */
export class HostHandover {
  readonly #parts: HostParts;
  #gate: Promise<void> | null = null;
  #reopen = () => {};

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  /** While the program is being replaced, nothing may begin: resolves if it was not replaced after all. Null: it is not being replaced. */
  get gate(): Promise<void> | null {
    return this.#gate;
  }

  /** Begins nothing more. Resolves when no start and no write to a file is in progress. */
  async quiet(): Promise<void> {
    const { runs, output, clock } = this.#parts;
    this.#gate ??= new Promise((resolve) => {
      this.#reopen = resolve;
    });
    if (!(await resolvesWithin(runs.noneStarting(), STARTS_MS, clock)))
      throw new MgrError("timeout", `a process is being started, for more than ${STARTS_MS / 1_000} s; try again later`);
    await output.quiet();
  }

  handOver(): HandedOver {
    const { clock, runs, output, supervisor, session, managerLost, seq } = this.#parts;
    const times = new KernelTimes(clock);
    const descriptors: Record<string, number> = {};
    const living: HostState["living"] = [];
    const extinct: HostState["extinct"] = [];
    for (const run of runs.all) {
      if (!(run instanceof Run) || run.isExtinct) {
        extinct.push(run.handOverFacts(times));
        continue;
      }
      const { state, ends } = run.handOver(times);
      living.push(state);
      if (ends === null) continue;
      descriptors[`master ${run.id}`] = ends.master;
      descriptors[`slave ${run.id}`] = ends.slave;
    }
    // After the runs: their terminals are no longer read.
    const { state: kept, descriptors: files, bytes } = output.handOver();
    const state: HostState = {
      seq: seq(),
      manager: session.manager,
      manager_lost: managerLost.handOver(times),
      living,
      extinct,
      failed: runs.failed,
      output: kept,
      supervisor: supervisor.handOver(),
    };
    return { state, descriptors: { ...descriptors, ...files }, bytes };
  }

  resume(): void {
    this.#gate = null;
    for (const run of this.#parts.runs.all) if (run instanceof Run && !run.isExtinct) run.resume();
    this.#parts.output.resume();
    this.#reopen();
  }

  /** Continues with what the program before this one had: its output is in the rings already. */
  take(state: HostState, descriptors: HandedOver["descriptors"]): void {
    const { clock, starter, output, supervisor, session, managerLost } = this.#parts;
    const living = state.living.map((run) => ({ state: run, ends: endsOf(run.facts.run_id, descriptors) }));
    starter.take(living, state.extinct, state.failed);
    output.begin(state.output);
    managerLost.take(state.manager_lost, new KernelTimes(clock));
    supervisor.take(state.supervisor);
    // Readers that do not come back must not hold their processes for ever.
    clock.setTimeout(() => {
      if (session.id === null) output.closeWindows();
    }, HEARTBEAT_LOST_MS);
  }
}

function endsOf(runId: string, descriptors: HandedOver["descriptors"]): TerminalEnds {
  const master = descriptors[`master ${runId}`];
  const slave = descriptors[`slave ${runId}`];
  return master === undefined || slave === undefined ? null : { master, slave };
}
