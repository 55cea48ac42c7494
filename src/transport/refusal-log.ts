import { shortened } from "../base/text/text-length.ts";
import type { Clock } from "../base/timing/clock.ts";
import type { LogBook } from "../log/log-book.ts";

/** Maximum number of refusals that are logged at once; then one more each REFILL_MS: a client's loop must not push everything else out of the log. */
const MAX_BURST = 20;
const REFILL_MS = 1_000;
/** Maximum length of a reason, characters: it may quote the frame. */
const MAX_CHARACTERS = 400;

/** Logs refusals with user and reason, for all connections. */
export class RefusalLog {
  readonly #log: LogBook;
  readonly #clock: Clock;
  #left = MAX_BURST;
  #refilledAt: number;
  #unsaid = 0;

  constructor(log: LogBook, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#refilledAt = clock.monotonic();
  }

  /** `what` is the frame's type, or null if it had none. */
  note({ user, what, reason }: { user: string; what: string | null; reason: string }): void {
    this.#refill();
    if (this.#left === 0) {
      this.#unsaid++;
      return;
    }
    this.#left--;
    const others = this.#unsaid === 0 ? "" : ` (${this.#unsaid} earlier refusals were not logged)`;
    this.#unsaid = 0;
    const said = `${what === null ? "a frame" : `'${what}'`} of '${user}' is refused: ${shortened(reason, MAX_CHARACTERS)}${others}`;
    this.#log.warn(said);
  }

  #refill(): void {
    const more = Math.floor((this.#clock.monotonic() - this.#refilledAt) / REFILL_MS);
    if (more <= 0) return;
    this.#left = Math.min(MAX_BURST, this.#left + more);
    this.#refilledAt += more * REFILL_MS;
  }
}
