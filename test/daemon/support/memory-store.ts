import type { Clock } from "../../../src/base/timing/clock.ts";
import type { RequestStore, SavedRequests } from "../../../src/daemon/supervision/request-store.ts";

/** A disk of which each write succeeds at once. */
export class MemoryStore implements RequestStore {
  text: string | null = null;
  readonly #clock: Pick<Clock, "now">;
  #savedAt = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  read() {
    return this.text === null ? null : { content: JSON.parse(this.text) as SavedRequests, age: this.#clock.now() - this.#savedAt };
  }

  async write(text: string): Promise<void> {
    this.text = text;
    this.touch();
  }

  touch(): void {
    this.#savedAt = this.#clock.now();
  }

  remove(): void {
    this.text = null;
  }
}
