/** Between two sizes, so that a program sees both: it has said something since, or the longer time is over. Milliseconds. */
const NUDGE_MS = 250;
const LONGEST_NUDGE_MS = 1_500;

/**
 * A full-screen program redraws when its size changes: one row less, then the real size (docs/design/runtime-invariants.md, "Frames out").
 * Not in one breath: it would look once, and see the size that it knows. On a busy machine it takes a while to look.
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
    this.#under = { timer: setTimeout(() => this.#endIfHeard(), NUDGE_MS), isHeard: false, isDue: false };
  }

  /** The program has said something. */
  heard(): void {
    if (!this.#under) return;
    this.#under.isHeard = true;
    if (this.#under.isDue) this.end();
  }

  /** The size that it was nudged from must not stay. */
  end(): void {
    if (!this.#under) return;
    clearTimeout(this.#under.timer);
    this.#under = undefined;
    this.#sendSize(0);
  }

  #endIfHeard(): void {
    if (!this.#under || this.#under.isHeard) this.end();
    else this.#under = { timer: setTimeout(() => this.end(), LONGEST_NUDGE_MS - NUDGE_MS), isHeard: false, isDue: true };
  }
}
