import { MgrError, messageOf } from "../../../../base/errors.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { LONG_SLOT_MS } from "../../series.ts";

/** Interval in which a disk is tried again that has refused a write, milliseconds. */
const RETRY_MS = 30_000;

export interface WriteFailuresOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: (level: "warning" | "info", msg: string) => void;
}

/** Failures of the disk: the log names the first of several, and their end. */
export class WriteFailures {
  readonly #options: WriteFailuresOptions;
  #isFailing = false;
  #retryAt = 0;

  constructor(options: WriteFailuresOptions) {
    this.#options = options;
  }

  /** Whether the disk may be tried. */
  get isDue(): boolean {
    return this.#options.clock.monotonic() >= this.#retryAt;
  }

  /** Returns null. */
  failed(error: unknown): null {
    const { clock, folder, log } = this.#options;
    // A file that cannot be used is no failure of the disk.
    if (!(error instanceof MgrError)) this.#retryAt = clock.monotonic() + RETRY_MS;
    if (!this.#isFailing) {
      const effect = `The newest ${Math.round((6 * LONG_SLOT_MS) / 60_000)} minutes are kept in memory`;
      const retry = `it is tried again every ${RETRY_MS / 1_000} s`;
      log("warning", `load history cannot be written to ${folder}: ${messageOf(error)}. ${effect}; ${retry}`);
    }
    this.#isFailing = true;
    return null;
  }

  /** Called after a successful write. */
  ended(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.log("info", `load history is written to ${this.#options.folder} again`);
  }

  retryNow(): void {
    this.#retryAt = 0;
  }
}
