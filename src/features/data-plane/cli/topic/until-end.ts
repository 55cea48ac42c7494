import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { untilInterrupted } from "../../../../cli/command/interrupt.ts";

/** Waits for Ctrl-C, for the command to call `stop` or `fail`, or for a time without a message. */
export class UntilEnd {
  readonly #promise: Promise<void>;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  readonly #seconds: number | undefined;
  readonly #what: string;

  /** `seconds`: maximum wait for the next message; omitted: no limit. */
  constructor(what: string, seconds: number | undefined) {
    this.#what = what;
    this.#seconds = seconds;
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The promise may be rejected before it is awaited.
    this.#promise.catch(() => {});
  }

  readonly stop = (): void => this.#resolve();
  readonly fail = (error: unknown): void => this.#reject(error);

  /** Called for each message; restarts the time-out. */
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
