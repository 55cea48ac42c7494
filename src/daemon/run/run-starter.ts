import { isShortage, MgrError, messageOf } from "../../base/errors.ts";
import { TurnShare } from "../../base/turns.ts";
import type { RequestOf } from "../../contract/messages.ts";
import type { RunId, RunSpec } from "../../contract/run.ts";
import type { ForwardedDisplays } from "../../features/displays/host/forwarded-displays.ts";
import type { HostBus } from "../bus/host-bus.ts";
import { checkSteps } from "../host-requests.ts";
import type { KeptOutput } from "../output/kept/kept-output.ts";
import { LOG_BACKLOG_BYTES } from "../output/log-file.ts";
import type { LogFiles } from "../output/log-files.ts";
import type { RingStore } from "../output/ring-store.ts";
import { Run, type RunOptions } from "./run.ts";
import type { RunTable } from "./run-table.ts";

export interface RunStarterOptions {
  /** Part of the mark of each run. */
  readonly streamId: string;
  readonly runs: RunTable<Run>;
  readonly rings: RingStore;
  readonly logFiles: LogFiles;
  readonly keptOutput: Pick<KeptOutput, "begin"> | null;
  readonly bus: HostBus | null;
  readonly displays: Pick<ForwardedDisplays, "begin" | "end">;
  /** Throws if the manager of `session` may not start a run now. */
  readonly check: (session: string) => void;
  /** The options that all runs share. */
  readonly runOptions: Pick<RunOptions, "reaper" | "clock" | "onChange" | "onOutput" | "log">;
}

/** Starts runs with their ring, log file and address of the bus, and holds back those whose output waits for a reader. */
export class RunStarter {
  readonly #options: RunStarterOptions;
  /** Names whose output waits for a reader (messages.ts, `lossless`). */
  readonly #held = new Set<string>();
  /** One start per turn of the event loop: each takes milliseconds, and hundreds may be requested at once. */
  readonly #starts = new TurnShare({ units: 1 });

  constructor(options: RunStarterOptions) {
    this.#options = options;
  }

  async spawn({ session, run_id: runId, spec, memo }: RequestOf<"spawn">): Promise<Run> {
    const { streamId, runs, rings, logFiles, check, runOptions } = this.#options;
    checkSteps(spec.stop);
    return runs.spawn(spec.name, runId, async () => {
      await this.#starts.pass();
      check(session);
      const backlog = Math.max(spec.terminal.backlog, spec.log_file === null ? 0 : LOG_BACKLOG_BYTES);
      const ring = rings.open(spec.name, backlog);
      const logFile = logFiles.open(spec, ring);
      this.#options.keptOutput?.begin(spec);
      const run = await this.#start({ runId, ...runOptions, spec, memo, marker: `${streamId}:${runId}`, ring, logFile });
      if (this.#held.has(spec.name)) run.hold(true);
      runOptions.onChange("spawned", run);
      return run;
    });
  }

  /** Holds back the newest run of a process and its later ones, or releases them. */
  hold(name: string, held: boolean): void {
    if (held) this.#held.add(name);
    else this.#held.delete(name);
    this.#options.runs.newest(name)?.hold(held);
  }

  /** Its token and its forwarded display are valid from before its first instruction until the run is extinct. */
  async #start(options: Omit<RunOptions, "busUrl">): Promise<Run> {
    const { bus, displays } = this.#options;
    const { runId } = options;
    const busUrl = bus?.begin(runId, options.spec.name) ?? null;
    const end = () => {
      bus?.end(runId);
      displays.end(runId);
    };
    try {
      const spec = await this.#withDisplay(runId, options.spec);
      const run = await Run.start({ busUrl, ...options, spec });
      void run.whenExtinct.then(end);
      return run;
    } catch (error) {
      end();
      if (error instanceof MgrError || !isShortage(error)) throw error;
      const reason = `the host daemon has too few open files, memory or disk space (${messageOf(error)})`;
      const help = `compare /proc/${process.pid}/limits with what it uses`;
      throw new MgrError("spawn_failed", `'${options.spec.name}' could not be started: ${reason}; ${help}`, { cause: error });
    }
  }

  async #withDisplay(runId: RunId, spec: RunSpec): Promise<RunSpec> {
    if (spec.x11 === undefined || !("forward" in spec.x11)) return spec;
    return { ...spec, x11: await this.#options.displays.begin(runId, spec) };
  }
}
