import type { ManagerCore } from "../../../app/feature.ts";
import { exitText } from "../../../client/handles/exit-text.ts";
import { isCompleted } from "../../../client/shown/shown-state.ts";
import type { Process } from "../../../protocol/resources/resources.ts";

type Options = Pick<ManagerCore, "clock" | "config" | "processes"> & {
  readonly name: string;
  /** Maximum time until it is ready, milliseconds. */
  readonly timeoutMs: number;
  /** Called once. Null: it is ready, stable or completed; else why it failed, as the end of a sentence. */
  readonly ended: (failure: string | null) => void;
};

/** Why a process that is in no configuration any more has failed. */
export const REMOVED = "it was removed from the configuration";

/** One process of a rolling restart, from the command on. */
export class RestartedProcess {
  readonly name: string;
  readonly #options: Options;
  /** The process before the command. */
  #before: { readonly runId: string | null; readonly startTime: string | null } = { runId: null, startTime: null };
  readonly #deadline: unknown;
  /** The first run after the command; null: it has not begun. */
  #runId: string | null = null;
  #stable: unknown = null;
  #isRequested = false;
  #hasEnded = false;

  constructor(options: Options) {
    const { name, clock, timeoutMs } = options;
    this.name = name;
    this.#options = options;
    this.#deadline = clock.setTimeout(() => this.#end(`it is not ready ${timeoutMs / 1_000} s after its restart was requested`), timeoutMs);
  }

  /** Called immediately before the command: later runs are its result. */
  begins(): void {
    const { processes } = this.#options;
    this.#before = { runId: processes.livingRun(this.name), startTime: processes.process(this.name)?.start_time ?? null };
  }

  /** The command was accepted: from now on the state of the process says how it goes. */
  requested(): void {
    this.#isRequested = true;
    this.check();
  }

  /** The command was refused. */
  refused(reason: string): void {
    this.#end(reason);
  }

  /** Called after each step of the process's actor. */
  check(): void {
    if (!this.#isRequested || this.#hasEnded) return;
    const { processes } = this.#options;
    const process = processes.process(this.name);
    const living = processes.livingRun(this.name);
    const isNew = living !== null && living !== this.#before.runId;
    const isSecond = isNew && this.#runId !== null && this.#runId !== living;
    if (isNew) this.#runId ??= living;
    if (process === undefined || processes.retiring.has(this.name)) this.#end(REMOVED);
    else if (isSecond) this.#end("it failed and was started again by its restart policy");
    else if (failureOf(process) !== null) this.#end(failureOf(process));
    else if (this.#hasCompleted(process) || (isNew && process.state === "ready")) this.#end(null);
    else if (isNew && process.state === "started" && !process.has_ready_state) this.#endWhenStable();
  }

  /** Ends without a result. */
  close(): void {
    this.#hasEnded = true;
    this.#options.clock.clearTimeout(this.#deadline);
    this.#options.clock.clearTimeout(this.#stable);
  }

  #hasCompleted(process: Process): boolean {
    return isCompleted(process) && (this.#runId !== null || process.start_time !== this.#before.startTime);
  }

  /** A run that ends earlier ends this step. */
  #endWhenStable(): void {
    const { clock, config } = this.#options;
    const stableAfter = config().processes.get(this.name)?.restart.stable_after ?? 0;
    this.#stable ??= clock.setTimeout(() => this.#end(null), stableAfter);
  }

  #end(failure: string | null): void {
    if (this.#hasEnded) return;
    this.close();
    this.#options.ended(failure);
  }
}

function failureOf(process: Process): string | null {
  const { state, requested_state, requested_by } = process;
  if (requested_state === "stop") return `'${requested_by ?? "the configuration"}' has requested its stop`;
  if (state !== "error" && state !== "backoff") return null;
  return exitText(process) || "it could not be started; see the manager's log";
}
