import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { resolvesWithin, withFallback } from "../../base/timing/wait.ts";
import type { HostLogWriter } from "../../contract/messages.ts";
import { type Program, type StopStep, stopStep } from "../../contract/run.ts";
import type { KernelTimes } from "../handover/kernel-times.ts";
import type { AuxiliaryProcess } from "../process/auxiliary-process.ts";

/** Time for which the next step waits for the end of a killed command, milliseconds: it may be stuck in the kernel. */
const MAX_KILL_MS = 2_000;

/** Actions of a stop on its run. */
interface StopActions {
  /** Sends a signal to the whole tree. */
  signal: (signal: string) => void;
  /** Types into the terminal. */
  write: (text: string) => void;
  start: (program: Program) => AuxiliaryProcess;
  /** Whether the run's leader has ended. */
  hasExited: () => boolean;
  /** Resolves when nothing of the run is left. */
  whenGone: () => Promise<void>;
  kill: () => void;
  log: HostLogWriter;
  clock: Clock;
}

/** A stop in progress, when the daemon replaces its program. */
export const runStopState = z.object({
  steps: z.array(stopStep),
  /** The step in progress, and when its time is over, on the kernel's clock; null: the run is being killed. */
  at: z.object({ index: z.int().min(0), deadline: z.number() }).nullable(),
  /** Pid of the command of that step; null: there is none. */
  command: z.int().min(1).nullable(),
});
export type RunStopState = z.infer<typeof runStopState>;

/** The stop of one run: its steps in order, each with its time limit, then SIGKILL. */
export class RunStop {
  readonly #run: string;
  readonly #actions: StopActions;
  #steps: readonly StopStep[] | null = null;
  /** The command of the step in progress. */
  #command: AuxiliaryProcess | null = null;
  /** The step in progress, and the monotonic time at which its time is over. */
  #at: { index: number; deadline: number } | null = null;

  /** `run` names it in log lines. */
  constructor(run: string, actions: StopActions) {
    this.#run = run;
    this.#actions = actions;
  }

  /** Requested steps; null: no stop was requested. */
  get steps(): readonly StopStep[] | null {
    return this.#steps;
  }

  get commandEnded(): Promise<unknown> | undefined {
    return this.#command?.ended;
  }

  /** Replaces the steps in progress. */
  begin(steps: readonly StopStep[]): void {
    this.#steps = steps;
    this.#command?.kill();
  }

  /** Null: no stop was requested. */
  handOver(times: KernelTimes): RunStopState | null {
    if (this.#steps === null) return null;
    const at = this.#at && { index: this.#at.index, deadline: times.toKernel(this.#at.deadline) };
    return { steps: [...this.#steps], at, command: this.#command?.pid ?? null };
  }

  /** Continues the stop of the program before this one. `adopt`: takes over the command of its step. */
  take({ steps, at, command }: RunStopState, times: KernelTimes, adopt: (pid: number) => AuxiliaryProcess): void {
    this.#steps = steps;
    if (command !== null) this.#command = adopt(command);
    if (at !== null) void this.#carryOut(steps, { index: at.index, deadline: times.fromKernel(at.deadline) });
  }

  carryOut(steps: readonly StopStep[]): Promise<void> {
    return this.#carryOut(steps, null);
  }

  /** `begun`: the step that is in progress already. */
  async #carryOut(steps: readonly StopStep[], begun: { index: number; deadline: number } | null): Promise<void> {
    const { log, kill, clock } = this.#actions;
    try {
      for (const [index, step] of steps.entries()) {
        if (index < (begun?.index ?? 0)) continue;
        const isBegun = index === begun?.index;
        this.#at = { index, deadline: isBegun ? begun.deadline : clock.monotonic() + step.timeout_ms };
        const failure = isBegun ? this.#failureOfCommand() : this.#failureOf(step);
        const isGone = (await this.#isGoneAfter(failure, this.#at.deadline - clock.monotonic())) || (await this.#endCommand());
        if (isGone || this.#steps !== steps) return;
      }
      log("warning", `${this.#run} did not end in time; it is killed`);
    } catch (error) {
      log("error", `stopping ${this.#run} failed, it is killed: ${messageOf(error)}`);
    }
    this.#at = null;
    kill();
  }

  /** Resolves with whether the whole tree is gone: once it is, the step has failed, or its time is over. */
  #isGoneAfter(failure: Promise<false>, timeoutMs: number): Promise<boolean> {
    const { clock, whenGone } = this.#actions;
    const gone = whenGone().then(() => true);
    return withFallback(Promise.race([gone, failure]), Math.max(0, timeoutMs), () => false, clock);
  }

  /** Ends the command: the time limit of its step has passed. Resolves with true if the whole tree is gone. */
  async #endCommand(): Promise<boolean> {
    if (this.#command === null) return false;
    const { clock, whenGone } = this.#actions;
    this.#command.kill();
    await resolvesWithin(this.#command.ended, MAX_KILL_MS, clock);
    return resolvesWithin(whenGone(), 0, clock);
  }

  /** Executes a step. Resolves (false) only if it failed, so that there is nothing to wait for. */
  async #failureOf(step: StopStep): Promise<false> {
    const { signal } = this.#actions;
    const forEver = new Promise<never>(() => {});
    if ("signal" in step) {
      signal(step.signal);
      return forEver;
    }
    // SIGCONT first: a stopped process could neither read nor respond.
    signal("SIGCONT");
    const failure = "send" in step ? this.#type(step.send) : await this.#runCommand(step.program);
    return failure === null ? forEver : this.#failed(failure);
  }

  /** As `#failureOf`, for a step that the program before this one has begun. */
  async #failureOfCommand(): Promise<false> {
    const failure = this.#command === null ? null : await this.#endOf(this.#command);
    return failure === null ? new Promise<never>(() => {}) : this.#failed(failure);
  }

  #failed(failure: string): false {
    this.#actions.log("warning", `the stop of ${this.#run} continues with its next step: ${failure}`);
    return false;
  }

  #type(text: string): string | null {
    try {
      this.#actions.write(text);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #runCommand(program: Program): Promise<string | null> {
    const command = this.#actions.start(program);
    this.#command = command;
    return this.#endOf(command);
  }

  async #endOf(command: AuxiliaryProcess): Promise<string | null> {
    const failure = await command.ended;
    if (this.#command === command) this.#command = null;
    return failure === null || this.#actions.hasExited() ? null : `its command failed: ${failure}`;
  }
}
