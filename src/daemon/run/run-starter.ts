import { isShortage, MgrError, messageOf } from "../../base/errors.ts";
import { TurnShare } from "../../base/timing/turns.ts";
import type { RunId } from "../../contract/fields.ts";
import type { HostEvent, RequestOf } from "../../contract/messages.ts";
import type { RunSpec } from "../../contract/run.ts";
import type { HostBus } from "../bus/host-bus.ts";
import type { HostOutput } from "../output/host-output.ts";
import { LOG_BACKLOG_BYTES } from "../output/log-file.ts";
import type { TerminalEnds } from "../output/terminal.ts";
import { ExtinctRun, type HostedRun } from "./extinct-run.ts";
import { Run, type RunOptions, type TakenRunOptions } from "./run.ts";
import type { LivingRunState, RunState } from "./run-state.ts";
import type { FailedStarts, RunTable } from "./run-table.ts";
import { checkSteps } from "./signal-name.ts";

/** Additions of features to a run. */
interface RunFeatures {
  environment(spec: RunSpec, runId: RunId): Promise<Record<string, string>>;
  startFailed(runId: RunId, spec: RunSpec, reason: string): void;
  /** Called when the run is extinct, or could not be started. */
  runEnded(runId: RunId): void;
}

export interface RunStarterOptions {
  /** Part of the mark of each run. */
  readonly streamId: string;
  readonly runs: RunTable<HostedRun>;
  readonly output: HostOutput;
  readonly bus: HostBus | null;
  readonly features: RunFeatures;
  /** The options that all runs share. */
  readonly runOptions: Omit<TakenRunOptions, "ring" | "logFile" | "onChange"> & {
    readonly onChange: (kind: HostEvent["kind"], run: HostedRun) => void;
  };
}

/** Starts runs with their ring, log file and bus address, and holds back those whose output waits for a reader. */
export class RunStarter {
  readonly #options: RunStarterOptions;
  /** Names whose output waits for a reader (messages.ts, `lossless`). */
  readonly #held = new Set<string>();
  /** Limits starts to one per turn of the event loop: each takes milliseconds, and hundreds may be requested at once. */
  readonly #starts = new TurnShare({ units: 1 });

  constructor(options: RunStarterOptions) {
    this.#options = options;
  }

  /** `check` throws if the run may not begin any more. */
  async spawn({ run_id: runId, spec, memo }: Pick<RequestOf<"spawn">, "run_id" | "spec" | "memo">, check: () => void): Promise<HostedRun> {
    const { streamId, runs, output, runOptions } = this.#options;
    checkSteps(spec.stop);
    return runs.spawn(spec.name, runId, async () => {
      await this.#starts.pass();
      check();
      const backlog = Math.max(spec.terminal.backlog, spec.log_file === null ? 0 : LOG_BACKLOG_BYTES);
      const ring = output.rings.open(spec.name, backlog);
      const logFile = output.logFiles.open(spec, ring);
      output.kept?.begin(spec);
      const run = await this.#start({ runId, ...runOptions, spec, memo, marker: `${streamId}:${runId}`, ring, logFile });
      if (this.#held.has(spec.name)) run.hold(true);
      runOptions.onChange("spawned", run);
      return run;
    });
  }

  /** Takes over the runs of the program before this one, before any other is started. The rings have their output. */
  take(
    living: readonly { readonly state: LivingRunState; readonly ends: TerminalEnds }[],
    extinct: readonly RunState[],
    failed: FailedStarts,
  ): void {
    const { runs, output, runOptions } = this.#options;
    const ended = extinct.map((state) => new ExtinctRun(state, runOptions));
    const taken = living.map(({ state, ends }) => {
      const { name, terminal } = state.spec;
      const ring = output.rings.find(name) ?? output.rings.open(name, terminal.backlog);
      return Run.take(state, ends, { ...runOptions, ring, logFile: output.logFiles.find(name) ?? null });
    });
    runs.take([...ended, ...taken], failed);
    for (const run of taken) void run.whenExtinct.then(() => this.#ended(run.id));
  }

  /** Holds back the newest run of a process and its later ones, or releases them. */
  hold(name: string, held: boolean): void {
    if (held) this.#held.add(name);
    else this.#held.delete(name);
    this.#options.runs.newest(name)?.hold(held);
  }

  /** The run's token and the additions of features are valid from before its first instruction until it is extinct. */
  async #start(options: Omit<RunOptions, "busUrl" | "variables">): Promise<Run> {
    const { bus, features } = this.#options;
    const { runId, spec } = options;
    const busUrl = bus?.begin(runId, spec.name) ?? null;
    const end = () => this.#ended(runId);
    try {
      const run = await Run.start({ busUrl, variables: await features.environment(spec, runId), ...options });
      void run.whenExtinct.then(end);
      return run;
    } catch (error) {
      const explained = explain(error, spec.name);
      features.startFailed(runId, spec, messageOf(explained));
      end();
      throw explained;
    }
  }

  #ended(runId: RunId): void {
    const { bus, features } = this.#options;
    bus?.end(runId);
    features.runEnded(runId);
  }
}

function explain(error: unknown, name: string): unknown {
  if (error instanceof MgrError || !isShortage(error)) return error;
  const reason = `the host daemon has too few open files, memory or disk space (${messageOf(error)})`;
  const help = `compare /proc/${process.pid}/limits with what it uses`;
  return new MgrError("spawn_failed", `'${name}' could not be started: ${reason}; ${help}`, { cause: error });
}
