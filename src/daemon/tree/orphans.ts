import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { reapOrphan } from "../native/libc.ts";
import { ownChildrenText, pidsOf, readStat, startTimeOf } from "../proc/proc.ts";
import type { ProcessStat } from "../proc/process-stat.ts";
import { isOwnChild } from "../process/child.ts";

/** Maximum number of scans for one result: if orphans end continuously, the next sweep repeats it. */
const MAX_SCANS = 8;

export interface LivingOrphans {
  orphans: ProcessStat[];
  /** See `Orphans.collect`: no other orphan lives. */
  isProven: boolean;
}

/**
 * The orphans that were reparented to this process as their subreaper: children that neither Node nor mgr has started. Their parent was the
 * only process to wait for them, and Node waits for no others, so the zombies of orphans are reaped here, and only those.
 */
export class Orphans {
  readonly #started = new Set<ChildProcess>();
  /** Start times of the children that existed before this object, by pid; their origin is unknown. */
  readonly #earlier: Map<number, string | null>;
  /** The kernel's list of children when it last had no orphan. */
  #withoutOrphans: string | null = null;
  #cost = 0;
  readonly #onChild = (message: unknown) => {
    this.#started.add((message as { process: ChildProcess }).process);
  };

  /** `earlier`: those that the program before this one had found at its start. */
  constructor(earlier?: Map<number, string | null>) {
    this.#earlier = earlier ?? new Map(pidsOf(ownChildrenText() ?? "").map((pid) => [pid, startTimeOf(pid)]));
    subscribe("child_process", this.#onChild);
  }

  /** Start times of the children that existed before this program was first executed, by pid. */
  get earlier(): ReadonlyMap<number, string | null> {
    return this.#earlier;
  }

  close(): void {
    unsubscribe("child_process", this.#onChild);
  }

  /**
   * Reaps zombies and returns the living orphans; null if the kernel does not list children.
   *
   * `isProven`: a run whose leader and companions (children started for it by this process) had ended before this call is
   * extinct if none of `orphans` belongs to it, and it stays extinct. The proof:
   *
   * 1. A living process has parents up to init. For a process of such a run, this process is one of them: at the end of a
   *    parent, its children go to the nearest subreaper above, in one step, before its end is visible. So the last process
   *    below this one in that line is an orphan of this run, and lives: a zombie has no children any more.
   * 2. The list of children is complete up to the moment T of its last read (see `ownChildrenText`). Hence that orphan is in it.
   * 3. Each orphan of the list is examined after T. If it is alive, it is returned. If it is a zombie, it may have ended after T,
   *    and its children may be missing in the list: then nothing is proven, and the scan is repeated.
   * 4. So if a scan shows no zombie and no orphan of the run, nothing of the run lived at T. Only living processes can fork.
   *
   * Forks do not affect the proof: a process that is born meanwhile has a living ancestor at T. The order matters: a leader
   * that ends after T leaves orphans that no earlier list can show.
   */
  collect(): LivingOrphans | null {
    for (let attempt = 1; ; attempt++) {
      const found = this.#scan();
      if (found === null) return null;
      const ended = found.filter((stat) => stat.ended);
      for (const { pid } of ended) reapOrphan(pid);
      if (ended.length === 0 || attempt === MAX_SCANS) {
        return { orphans: found.filter((stat) => !stat.ended), isProven: ended.length === 0 };
      }
    }
  }

  /** Duration of the last `mayBeSome`, milliseconds. */
  get cost(): number {
    return this.#cost;
  }

  /** Returns false if the children are those of the last scan that found no orphan. Cheaper than a scan, and no proof. */
  mayBeSome(): boolean {
    const begin = performance.now();
    const children = ownChildrenText();
    this.#cost = performance.now() - begin;
    return children === null || children !== this.#withoutOrphans;
  }

  isOrphan(stat: ProcessStat): boolean {
    return stat.ppid === process.pid && !this.#isKnown(stat, this.#nodeChildren());
  }

  #scan(): ProcessStat[] | null {
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

  /** Whether this program waits for the process, or it existed before this object. */
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
