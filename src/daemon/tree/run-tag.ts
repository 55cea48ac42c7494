import { createHash } from "node:crypto";
import { isMainThread } from "node:worker_threads";
import { swapFileLocksLimit } from "../native/libc.ts";
import { fileLocksLimit } from "../proc/proc.ts";

// A marker that survives where an environment variable does not (env -i, sudo, programs that overwrite their environment),
// and that exists from a run's first fork on: the soft limit on file locks (RLIMIT_LOCKS). The kernel has not enforced it
// since Linux 2.4, but descendants inherit it, and every user can read it in /proc/PID/limits.

/** Number of decimal digits for the run, after the nine that identify the host's lifetime. */
export const RUN_DIGITS = 6;
const RUNS = 10 ** RUN_DIGITS;
const LIVES = 900_000_000;
const FIRST_LIFE = 100_000_000;

/** The nine digits with which all tags under `marker` begin. */
export function tagPrefix(marker: string): number {
  return FIRST_LIFE + (createHash("sha256").update(marker).digest().readUInt32BE(0) % LIVES);
}

/** Gives the runs of one host their tags. */
export class RunTags {
  readonly #prefix: number;
  #count = 0;

  /** `count`: the number of tags that the program before this one gave. */
  constructor(marker: string, count = 0) {
    this.#prefix = tagPrefix(marker);
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Calls `start`, whose forks carry a new tag from the beginning: a tag set afterwards would miss processes that a fast
   * child has already forked. The forks must happen before it returns. `tag` is null where tags are impossible: other marks remain.
   */
  give<T>(start: () => T): { started: T; tag: number | null } {
    this.#count = (this.#count + 1) % RUNS;
    return this.lend(this.#prefix * RUNS + this.#count, start);
  }

  /** As `give`, with an existing tag; null: none. */
  lend<T>(tag: number | null, start: () => T): { started: T; tag: number | null } {
    // The limit applies to the whole program: a process forked by another thread meanwhile would carry the tag, and be killed.
    const before = tag === null || !isMainThread ? null : swapFileLocksLimit(BigInt(tag));
    try {
      return { started: start(), tag: before === null ? null : tag };
    } finally {
      if (before !== null) swapFileLocksLimit(before);
    }
  }

  /** Returns the tag of a process; null: it has none of this host. */
  of(pid: number): number | null {
    const limit = fileLocksLimit(pid);
    return limit !== null && Math.floor(limit / RUNS) === this.#prefix ? limit : null;
  }
}
