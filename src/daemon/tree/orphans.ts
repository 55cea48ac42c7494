import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { reapOrphan } from "../native/libc.ts";
import { ownChildrenText, pidsOf, readStat, startTimeOf } from "../proc/proc.ts";
import type { ProcessStat } from "../proc/process-stat.ts";
import { isOwnChild } from "../process/child.ts";

/** Scans for one answer, at most: where orphans end continuously, the next sweep asks again. */
const MAX_LOOKS = 8;

export interface LivingOrphans {
  orphans: ProcessStat[];
  /** See `Orphans.collect`: no other orphan lives. */
  isProven: boolean;
}

/**
 * The orphans that came to us because we are their subreaper: children that neither Node nor we have started. Their parent
 * was the only one to wait for them, and Node waits for no others, so the zombies of orphans are taken away here, and only those.
 */
export class Orphans {
  readonly #started = new Set<ChildProcess>();
  /** Start times of the children from before we began to look, by pid; whose they are we cannot know. */
  readonly #earlier: Map<number, string | null>;
  /** List of our children when it had no orphan last. */
  #withoutOrphans: string | null = null;
  #cost = 0;
  readonly #onChild = (message: unknown) => {
    this.#started.add((message as { process: ChildProcess }).process);
  };

  constructor() {
    this.#earlier = new Map(pidsOf(ownChildrenText() ?? "").map((pid) => [pid, startTimeOf(pid)]));
    subscribe("child_process", this.#onChild);
  }

  close(): void {
    unsubscribe("child_process", this.#onChild);
  }

  /**
   * Takes zombies away and returns the living orphans; null where the kernel does not list children.
   *
   * `isProven`: a run whose leader and companions (children that we started for it) had ended before this call is extinct
   * if none of `orphans` belongs to it, and it stays extinct. The proof:
   *
   * 1. Whatever lives has parents up to init. Of a process of such a run, we are one of them: at the end of a parent its
   *    children go to the nearest subreaper above, in one step, before it can be seen to have ended. So the last process
   *    below us in that line is an orphan of this run, and lives: a zombie has no children any more.
   * 2. Our list of children is complete up to the moment T of its last read (see `ownChildrenText`). Hence that orphan is in it.
   * 3. Each orphan of the list is looked at after T. Seen alive, it is returned. Seen as a zombie, it may have ended after T,
   *    and what it left has come to us behind our backs: then nothing is proven, and we look again.
   * 4. So if a look shows no zombie and no orphan of the run, nothing of the run lived at T. Only what lives can fork.
   *
   * Forks need no attention: a process that is born between has a living parent at T, or one of its own line. The order does:
   * a leader that ends after T leaves orphans that no list of before can show.
   */
  collect(): LivingOrphans | null {
    for (let look = 1; ; look++) {
      const found = this.#look();
      if (found === null) return null;
      const ended = found.filter((stat) => stat.ended);
      for (const { pid } of ended) reapOrphan(pid);
      if (ended.length === 0 || look === MAX_LOOKS) {
        return { orphans: found.filter((stat) => !stat.ended), isProven: ended.length === 0 };
      }
    }
  }

  /** How long `mayBeSome` took last, milliseconds. */
  get cost(): number {
    return this.#cost;
  }

  /** False: our children are those of a look that found no orphan. Cheaper than a look, and no proof. */
  mayBeSome(): boolean {
    const begin = performance.now();
    const children = ownChildrenText();
    this.#cost = performance.now() - begin;
    return children === null || children !== this.#withoutOrphans;
  }

  isOrphan(stat: ProcessStat): boolean {
    return stat.ppid === process.pid && !this.#isKnown(stat, this.#nodeChildren());
  }

  #look(): ProcessStat[] | null {
    const text = ownChildrenText();
    if (text === null) return null;
    const nodeChildren = this.#nodeChildren();
    const orphans: ProcessStat[] = [];
    for (const pid of pidsOf(text)) {
      if (nodeChildren.has(pid) || isOwnChild(pid)) continue;
      const stat = readStat(pid);
      if (stat?.ppid === process.pid && !this.#isKnown(stat, nodeChildren)) orphans.push(stat);
    }
    this.#withoutOrphans = orphans.length === 0 ? text : null;
    return orphans;
  }

  /** This program waits for it, or it existed before us. */
  #isKnown({ pid, startTime }: ProcessStat, nodeChildren: ReadonlySet<number>): boolean {
    return nodeChildren.has(pid) || isOwnChild(pid) || this.#earlier.get(pid) === startTime;
  }

  /** Pids of Node's children whose exit it has not yet seen. */
  #nodeChildren(): Set<number> {
    const pids = new Set<number>();
    for (const child of this.#started) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) this.#started.delete(child);
      else pids.add(child.pid);
    }
    return pids;
  }
}
