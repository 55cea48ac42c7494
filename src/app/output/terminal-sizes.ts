import type { TerminalSize } from "../../actors/process/process-types.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";

/** Delay of the write after the first change of a size, milliseconds. */
const WRITTEN_AFTER_MS = 1_000;

/** Saves the last size of each terminal. Dragging a window sends many sizes: one write covers all of a second. */
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

interface Size {
  readonly rows: number;
  readonly cols: number;
}

/** Maximum number of unanswered sizes of one process; beyond this only the newest one waits. */
const MAX_IN_FLIGHT = 8;

/** Sends terminal sizes in order. If many arrive at once, intermediate sizes are skipped. */
export class Resizer {
  readonly #send: (process: string, size: Size) => Promise<void>;
  readonly #inFlight = new Map<string, { count: number; next: Size | null }>();

  /** `send` must not reject. */
  constructor(send: (process: string, size: Size) => Promise<void>) {
    this.#send = send;
  }

  resize(process: string, size: Size): void {
    const state = this.#inFlight.get(process) ?? { count: 0, next: null };
    this.#inFlight.set(process, state);
    if (state.count >= MAX_IN_FLIGHT) {
      state.next = size;
      return;
    }
    state.count++;
    void this.#send(process, size).then(() => {
      state.count--;
      const { next } = state;
      state.next = null;
      if (next !== null) this.resize(process, next);
      else if (state.count === 0) this.#inFlight.delete(process);
    });
  }
}
