import { stat } from "node:fs/promises";
import type { Clock } from "../../../../base/timing/clock.ts";

/** Finds out with one call for all files of a folder whether one may have been removed or replaced. */
export class FolderCheck {
  readonly #folder: string;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Changes with each file that is added, removed or renamed; empty: the folder is missing. */
  #state = "";
  #changedAt = 0;

  constructor(folder: string, clock: Pick<Clock, "monotonic">) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** When a change was found last, monotonic milliseconds: what was in its place later still is. */
  get changedAt(): number {
    return this.#changedAt;
  }

  async run(): Promise<void> {
    const now = this.#clock.monotonic();
    const state = await stat(this.#folder).then(
      ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
      () => "",
    );
    if (state !== "" && state === this.#state) return;
    this.#state = state;
    this.#changedAt = now;
  }
}
