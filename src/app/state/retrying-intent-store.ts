import { messageOf } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { withFallback } from "../../base/timing/wait.ts";
import type { ProcessIntent } from "../../config/state/process-intent.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { IntentKeeper } from "./intent-keeper.ts";

/** How long a start, a stop or an answer waits for the disk, milliseconds. */
const SAVE_TIMEOUT_MS = 2_000;
/** Delay before a failed write is retried, milliseconds. */
const RETRY_MS = 2_000;

interface RetryingIntentStoreOptions {
  clock: Clock;
  log: LogBook;
  /** Called with the reason why nothing can be saved, and with null once saving works again. */
  onProblem?: (problem: string | null) => void;
}

/**
 * Saves the requests of users before they are carried out, but does not depend on the disk: if the disk is full, this is logged and the write is
 * retried; if the disk does not respond, the wait is limited. Until it works again, a crash loses the newest requests.
 */
export class RetryingIntentStore implements IntentKeeper {
  readonly #intents: IntentKeeper;
  readonly #clock: Clock;
  readonly #log: LogBook;
  readonly #onProblem: (problem: string | null) => void;
  /** Whether the disk is full or does not respond, which has been logged. */
  #isTroubled = false;
  #retry: unknown = null;
  /** The newest write, and the wait for it that its callers share: a start makes several, and thousands of starts share a write. */
  #newest: { write: Promise<void>; wait: Promise<void> } | null = null;
  #isClosed = false;

  constructor(intents: IntentKeeper, { clock, log, onProblem = () => {} }: RetryingIntentStoreOptions) {
    this.#intents = intents;
    this.#clock = clock;
    this.#log = log;
    this.#onProblem = onProblem;
  }

  get(name: string): Readonly<ProcessIntent> {
    return this.#intents.get(name);
  }

  set(name: string, patch: ProcessIntent): void {
    this.#intents.set(name, patch);
  }

  names(): Iterable<string> {
    return this.#intents.names();
  }

  forgetStart(name: string): void {
    this.#intents.forgetStart(name);
  }

  /** Resolves when everything set so far is on disk, or cannot be written now. Never rejects. */
  flush(): Promise<void> {
    const write = this.#intents.flush();
    if (this.#newest?.write !== write) this.#newest = { write, wait: this.#wait(this.#judge(write)) };
    return this.#newest.wait;
  }

  async #wait(write: Promise<void>): Promise<void> {
    if (this.#isTroubled) return;
    const complain = () => this.#complain(`requests could not be written to the disk for ${SAVE_TIMEOUT_MS / 1_000} s`);
    await withFallback(write, SAVE_TIMEOUT_MS, complain, this.#clock);
  }

  close(): void {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#retry);
  }

  async #judge(write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (error) {
      this.#complain(messageOf(error));
      this.#retryLater();
      return;
    }
    if (!this.#isTroubled) return;
    this.#isTroubled = false;
    this.#onProblem(null);
    this.#log.info("requests are saved again");
  }

  #complain(problem: string): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#onProblem(problem);
    const msg = `${problem}; it is done nevertheless, but a crash would forget it until the disk works again`;
    this.#log.error(msg);
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#clock.clearTimeout(this.#retry);
    this.#retry = this.#clock.setTimeout(() => void this.#judge(this.#intents.flush()), RETRY_MS);
  }
}
