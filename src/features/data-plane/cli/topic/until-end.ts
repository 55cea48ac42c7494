import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { untilInterrupted } from "../../../../cli/command/interrupt.ts";

/** Waits for Ctrl-C, the end that a command itself calls, or a message that does not come in time. */
export class UntilEnd {
  readonly #promise: Promise<void>;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  readonly #seconds: number | undefined;
  readonly #what: string;

  /** `seconds`: the longest wait for the next message; left out: for ever. */
  constructor(what: string, seconds: number | undefined) {
    this.#what = what;
    this.#seconds = seconds;
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may end before it is waited for.
    this.#promise.catch(() => {});
  }

  readonly stop = (): void => this.#resolve();
  readonly fail = (error: unknown): void => this.#reject(error);

  /** A message has come. */
  came(): void {
    if (this.#seconds === undefined) return;
    clearTimeout(this.#timer);
    const seconds = this.#seconds;
    this.#timer = setTimeout(
      () => this.#reject(new CommandFailure(EXIT.timeout, `time-out: no message of '${this.#what}' for ${seconds} s`)),
      seconds * 1_000,
    );
  }

  wait(): Promise<void> {
    this.came();
    return untilInterrupted((interrupted) => {
      interrupted.addEventListener("abort", this.stop);
      return this.#promise;
    }).finally(() => clearTimeout(this.#timer));
  }
}
