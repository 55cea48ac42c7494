import { constants } from "node:os";
import { exitText } from "../../../client/handles/exit-text.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { EXIT } from "../../command/exit-codes.ts";

export interface EndingOptions {
  /** Whether the failure of any process ends `mgr up`, not only that of an essential one. */
  abortOnFailure: boolean;
  /** Process whose end ends `mgr up`, with its exit code; null: none. */
  exitWith: string | null;
}

/** The first end of a process that ends `mgr up`; it may come before a listener is added. */
export class Ending {
  readonly #options: EndingOptions;
  #cause: { process: Process; sentence: string } | null = null;
  #notify: () => void = () => {};
  #closed = false;

  constructor(options: EndingOptions) {
    this.#options = options;
  }

  /** Called when a process is at rest: it ended and is not restarted, or it cannot be started. */
  note(process: Process, { essential }: { essential: boolean }): void {
    if (this.#cause !== null || this.#closed) return;
    const sentence = this.#sentenceOn(process, essential);
    if (sentence === null) return;
    this.#cause = { process, sentence };
    this.#notify();
  }

  /** Ignores further ends: another shutdown has begun. */
  close(): void {
    this.#closed = true;
  }

  onEnd(listener: () => void): void {
    this.#notify = listener;
    if (this.#cause !== null) listener();
  }

  /** Reason of the end, as a sentence; "" if no process caused it. */
  get sentence(): string {
    return this.#cause?.sentence ?? "";
  }

  /** Exit code of the process, as in a shell: 128 plus the signal's number; `failed` for a failure without an exit code. */
  get exitCode(): number {
    if (this.#cause === null) return EXIT.done;
    const { exit, state } = this.#cause.process;
    const number = exit?.signal ? new Map(Object.entries(constants.signals)).get(exit.signal) : undefined;
    if (number !== undefined) return 128 + number;
    // An exit code of 0 is a failure if `success_exit_codes` says so.
    if (state === "error") return exit?.code || EXIT.failed;
    return exit?.code ?? EXIT.failed;
  }

  #sentenceOn(process: Process, essential: boolean): string | null {
    const how = exitText(process);
    if (process.name === this.#options.exitWith) return `process '${process.name}' ended${how === "" ? "" : ` (${how})`}`;
    if (process.state !== "error") return null;
    if (essential) return `essential process '${process.name}' failed (${how})`;
    return this.#options.abortOnFailure ? `process '${process.name}' failed (${how})` : null;
  }
}
