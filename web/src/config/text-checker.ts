import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";

/** Delay from the last change of the text to its check, ms. */
const CHECK_DELAY_MS = 500;

/** Problems of a text, as found by the manager like `mgr check`, or by the page, which checks the syntax only. */
export interface Verdict {
  readonly problems: readonly ConfigFileProblem[];
  readonly isSyntaxOnly: boolean;
}

interface Options {
  /** The text as it is now. */
  text: () => string;
  check: (text: string) => Promise<Verdict>;
  /** Called with the verdict on the text as it is now. */
  show: (verdict: Verdict) => void;
  onError: (error: unknown) => void;
}

/** Checks a text that is edited, half a second after the last change. One check is pending at a time; an outdated verdict is dropped. */
export class TextChecker {
  readonly #options: Options;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isChecking = false;
  /** Whether a check is due once the current one has ended. */
  #isDue = false;
  /** Number of the newest request; verdicts of earlier requests are outdated. */
  #request = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Requests a check: the text, or what it is checked against, has changed. */
  request(delay = CHECK_DELAY_MS): void {
    this.cancel();
    this.#timer = setTimeout(() => void this.#run(), delay);
  }

  /** Cancels the check: its verdict is known already, or no longer needed. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#isDue = false;
    this.#request++;
  }

  async #run(): Promise<void> {
    this.#isDue = this.#isChecking;
    if (this.#isChecking) return;
    const request = this.#request;
    this.#isChecking = true;
    try {
      const verdict = await this.#options.check(this.#options.text());
      if (request === this.#request) this.#options.show(verdict);
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#isChecking = false;
      if (this.#isDue) void this.#run();
    }
  }
}
