import type { Clock } from "../../../base/timing/clock.ts";
import { WATCH_MS } from "../contract.ts";

/** The processes that the manager has requested to be sampled each second, until it requests others, or no longer renews that. */
export class Watches {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #names: ReadonlySet<string> = new Set();
  #timer: unknown = null;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  request(names: readonly string[]): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = names.length === 0 ? null : this.#clock.setTimeout(() => this.request([]), WATCH_MS);
    if (names.length === this.#names.size && names.every((name) => this.#names.has(name))) return;
    this.#names = new Set(names);
    this.#changed();
  }
}
