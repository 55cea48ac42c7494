/** `about`: the processes that the message concerns. */
export type WarningLog = (level: "warning" | "error", msg: string, about?: readonly string[]) => void;

/** Time in which a warning is not repeated, milliseconds. */
const QUIET_MS = 10_000;

/** A warning that may occur thousands of times: all are counted, at most one in ten seconds is logged. */
export class ThrottledWarning {
  count = 0;
  readonly #log: WarningLog;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(log: WarningLog) {
    this.#log = log;
  }

  warn(msg: string, about?: readonly string[]): void {
    this.count++;
    const now = performance.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + QUIET_MS;
    this.#log("warning", `${msg} (${this.count} in all)`, about);
  }
}
