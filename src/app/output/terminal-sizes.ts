import type { TerminalSize } from "../../actors/process-types.ts";
import type { Clock } from "../../base/clock.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";

/** Sizes of terminals are on disk this long after the first change, milliseconds. */
const WRITTEN_AFTER_MS = 1_000;

/** Keeps the size that each terminal had last. A window that is being dragged tells many: one write for all of a second. */
export class TerminalSizes {
  readonly #clock: Clock;
  readonly #intents: IntentKeeper;
  /** Timer of the next write. */
  #due: unknown = null;

  constructor({ clock, intents }: { clock: Clock; intents: IntentKeeper }) {
    this.#clock = clock;
    this.#intents = intents;
  }

  keep(name: string, size: TerminalSize): void {
    const known = this.#intents.get(name);
    if (known.rows === size.rows && known.cols === size.cols) return;
    this.#intents.set(name, size);
    this.#due ??= this.#clock.setTimeout(() => {
      this.#due = null;
      void this.#intents.flush();
    }, WRITTEN_AFTER_MS);
  }

  close(): void {
    this.#clock.clearTimeout(this.#due);
  }
}
