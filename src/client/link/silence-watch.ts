/** Time of silence after which a connection is pinged, milliseconds. */
const QUIET_MS = 20_000;
/** Time without any frame after that, after which the connection is broken, milliseconds. */
const ANSWER_MS = 15_000;

/**
 * Detects connections that break without a close, such as a lost Wi-Fi: a page can neither send pings nor see those of the manager.
 * `ask` sends a frame that is answered; `broken` is called once, without an answer.
 */
export class SilenceWatch {
  readonly #ask: () => void;
  readonly #broken: () => void;
  #isHeard = false;
  #timer: ReturnType<typeof setTimeout>;

  constructor({ ask, broken }: { ask: () => void; broken: () => void }) {
    this.#ask = ask;
    this.#broken = broken;
    this.#timer = setTimeout(() => this.#quiet(), QUIET_MS);
  }

  /** Called when a frame was received. */
  heard(): void {
    this.#isHeard = true;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #quiet(): void {
    if (!this.#isHeard) this.#ask();
    const next = this.#isHeard ? () => this.#quiet() : () => this.#unanswered();
    this.#timer = setTimeout(next, this.#isHeard ? QUIET_MS : ANSWER_MS);
    this.#isHeard = false;
  }

  #unanswered(): void {
    if (this.#isHeard) this.#quiet();
    else this.#broken();
  }
}
