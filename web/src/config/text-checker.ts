import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";

/** From the last change of the text to its check, ms. */
const CHECK_DELAY_MS = 500;

/** Problems of a text, and its judge: the manager as `mgr check` does, or the page, which knows the syntax alone. */
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

/** Checks a text that is edited, half a second after the last change. One check is under way at a time; an outdated verdict is dropped. */
export class TextChecker {
  readonly #options: Options;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isChecking = false;
  /** A check is due once the one that is under way has ended. */
  #isDue = false;
  /** Verdicts that were asked for before the last request are outdated. */
  #request = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The text, or what it is checked with, has changed. */
  request(delay = CHECK_DELAY_MS): void {
    this.cancel();
    this.#timer = setTimeout(() => void this.#run(), delay);
  }

  /** The verdict is known otherwise, or no longer of interest. */
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
