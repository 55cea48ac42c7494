import { visible } from "../../base/text/visible-text.ts";
import { resolvesWithin } from "../../base/timing/wait.ts";
import type { ProcessStat } from "../proc/process-stat.ts";
import type { Mark, Stray } from "./process-scanner.ts";
import type { RunStart } from "./run-tree.ts";

/** Maximum time that strays may outlive their SIGKILL, milliseconds: then they are stuck in the kernel, or belong to another user. */
const GIVE_UP_MS = 5_000;
/** Pause between two scans of `end` while there is work left, milliseconds. */
const RECHECK_INTERVAL_MS = 20;

export interface Adopted {
  /** Resolves when nothing of the run is left. */
  extinct: Promise<void>;
  forget: () => void;
}

interface StraysOptions {
  log: (msg: string) => void;
  /** Tracks strays as a run of their own and kills it. */
  adopt: (run: RunStart) => Adopted;
}

/**
 * The safety net below the proof that a run is extinct (`Orphans.collect`): processes that carry a mark of this host and belong to no
 * living run. There should never be one. They are killed as a run of their own, so that processes that they fork meanwhile die, too.
 */
export class Strays {
  readonly #options: StraysOptions;
  readonly #killing = new Set<Promise<void>>();
  /** Start times of processes that could not be killed, by pid. */
  readonly #givenUp = new Map<number, string>();

  constructor(options: StraysOptions) {
    this.#options = options;
  }

  /** Kills strays, which are sorted by age, the oldest first. */
  found(strays: readonly Stray[]): void {
    const byMark = new Map<Mark, ProcessStat[]>();
    for (const { stat, mark } of strays) {
      if (this.#givenUp.get(stat.pid) === stat.startTime) continue;
      byMark.set(mark, [...(byMark.get(mark) ?? []), stat]);
    }
    for (const [mark, members] of byMark) this.#kill(mark, members);
  }

  /** Resolves when nothing is left. `look` scans all processes and calls `found`; it returns false if one may have been missed. */
  async end(look: () => boolean): Promise<void> {
    const deadline = performance.now() + GIVE_UP_MS;
    while (!look() || this.#killing.size > 0) {
      if (performance.now() > deadline && this.#killing.size === 0) return;
      // A race of none never settles: this is then a pause.
      await resolvesWithin(Promise.race(this.#killing), RECHECK_INTERVAL_MS);
    }
  }

  #kill(mark: Mark, members: readonly ProcessStat[]): void {
    const [oldest] = members;
    if (oldest === undefined) return;
    // The program chooses its name, and this text may be shown in a terminal.
    const names = members.map(({ pid, comm }) => `${visible(comm)} (pid ${pid})`).join(", ");
    this.#options.log(`left behind by a run that has ended, and killed now: ${names}`);
    const { pid, startTime } = oldest;
    const tag = typeof mark === "number" ? mark : null;
    const { extinct, forget } = this.#options.adopt({ runId: String(mark), pid, startTime, terminal: "", tag });
    const timer = setTimeout(() => {
      this.#options.log(`left behind by a run that has ended, and cannot be killed (stuck in the kernel, or another user's): ${names}`);
      for (const member of members) this.#givenUp.set(member.pid, member.startTime);
      forget();
    }, GIVE_UP_MS);
    timer.unref();
    const killed = extinct.finally(() => {
      clearTimeout(timer);
      this.#killing.delete(killed);
    });
    this.#killing.add(killed);
  }
}
