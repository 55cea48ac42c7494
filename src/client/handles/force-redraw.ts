/**
 * Time between the two sizes, so that the program notices both: the short one if it has written output since, otherwise the long one.
 * Milliseconds.
 */
const FORCE_REDRAW_MS = 250;
const MAX_FORCE_REDRAW_MS = 1_500;

/**
 * Makes a full-screen program redraw by changing its size: one row less, then the real size (docs/design/runtime-invariants.md, "Frames
 * out"). With a pause between them: otherwise the program would check only once and find the size unchanged. On a busy machine it may check
 * late.
 */
export class ForceRedraw {
  readonly #sendSize: (rowsLess: 0 | 1) => void;
  #under: { timer: ReturnType<typeof setTimeout>; isHeard: boolean; isDue: boolean } | undefined;

  constructor(sendSize: (rowsLess: 0 | 1) => void) {
    this.#sendSize = sendSize;
  }

  begin(): void {
    this.#sendSize(1);
    clearTimeout(this.#under?.timer);
    this.#under = { timer: setTimeout(() => this.#endIfHeard(), FORCE_REDRAW_MS), isHeard: false, isDue: false };
  }

  /** Called when the program has written output. */
  heard(): void {
    if (!this.#under) return;
    this.#under.isHeard = true;
    if (this.#under.isDue) this.end();
  }

  /** Restores the real size. */
  end(): void {
    if (!this.#under) return;
    clearTimeout(this.#under.timer);
    this.#under = undefined;
    this.#sendSize(0);
  }

  #endIfHeard(): void {
    if (!this.#under || this.#under.isHeard) this.end();
    else this.#under = { timer: setTimeout(() => this.end(), MAX_FORCE_REDRAW_MS - FORCE_REDRAW_MS), isHeard: false, isDue: true };
  }
}
