import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { resolvesWithin, withFallback } from "../../base/wait.ts";
import type { HostLogWriter } from "../../contract/messages.ts";
import type { Program, StopStep } from "../../contract/run.ts";
import type { AuxiliaryProcess } from "../process/auxiliary-process.ts";

/** How long the next step waits for the end of a killed command, milliseconds: it may be stuck in the kernel. */
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

/** The stop of one run: its steps in order, each with its time limit, then SIGKILL. */
export class RunStop {
  readonly #run: string;
  readonly #actions: StopActions;
  #steps: readonly StopStep[] | null = null;
  /** The command of the step in progress. */
  #command: AuxiliaryProcess | null = null;

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

  async carryOut(steps: readonly StopStep[]): Promise<void> {
    const { log, kill } = this.#actions;
    try {
      for (const step of steps) {
        const isGone = (await this.#isGoneAfter(step)) || (await this.#endCommand());
        if (isGone || this.#steps !== steps) return;
      }
      log("warning", `${this.#run} did not end in time; it is killed`);
    } catch (error) {
      log("error", `stopping ${this.#run} failed, it is killed: ${messageOf(error)}`);
    }
    kill();
  }

  /** Executes a step. Resolves with whether the whole tree is gone: once it is, the step has failed, or its time is over. */
  #isGoneAfter(step: StopStep): Promise<boolean> {
    const { clock, whenGone } = this.#actions;
    const gone = whenGone().then(() => true);
    return withFallback(Promise.race([gone, this.#failureOf(step)]), step.timeout_ms, () => false, clock);
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
    const { signal, log } = this.#actions;
    const forEver = new Promise<never>(() => {});
    if ("signal" in step) {
      signal(step.signal);
      return forEver;
    }
    // SIGCONT first: a stopped process could neither read nor respond.
    signal("SIGCONT");
    const failure = "send" in step ? this.#type(step.send) : await this.#runCommand(step.program);
    if (failure === null) return forEver;
    log("warning", `the stop of ${this.#run} continues with its next step: ${failure}`);
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
    const failure = await command.ended;
    if (this.#command === command) this.#command = null;
    return failure === null || this.#actions.hasExited() ? null : `its command failed: ${failure}`;
  }
}
