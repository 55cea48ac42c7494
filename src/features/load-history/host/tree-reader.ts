import type { Clock } from "../../../base/timing/clock.ts";
import type { Steps } from "../../../base/timing/turns.ts";
import { listPids, readProcFile, readStat, TICKS_PER_SECOND, ticksSinceBoot } from "../../../daemon/proc/proc.ts";
import type { ProcessStat } from "../../../daemon/proc/process-stat.ts";
import type { TaskOwners } from "../../../daemon/tree/task-owners.ts";
import { SAMPLE_MS } from "../series.ts";
import { type ProcessFigures, readFigures } from "./proc-figures.ts";

/** A process of a tree, as it was read. */
export interface Member {
  readonly stat: ProcessStat;
  readonly figures: ProcessFigures;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  /** When its files were read. `at` is later if it has not run since. */
  readonly readAt: number;
}

/** A process may not be known to belong to its run while that begins, clock ticks. */
const UNSURE_TICKS = 60 * TICKS_PER_SECOND;

/** Interval in which a process that did not run is read again, milliseconds: its memory may have been swapped out. */
const REREAD_MS = 60_000;

/** A process of a tree, as it was last read. */
interface KnownMember extends Member {
  /** See `runOf`. */
  readonly run: string | null;
}

interface TreeReaderOptions {
  readonly clock: Clock;
  readonly owners: () => TaskOwners;
}

/** Reads the trees of managed processes. Whose process each is stays known from scan to scan, which saves most of the work. */
export class TreeReader {
  readonly #options: TreeReaderOptions;
  /** Owners of all processes of the last whole scan, and of newer ones; the owner is null for those of no tree. */
  #owners = new Map<number, { startTime: string; name: string | null }>();
  #members = new Map<number, KnownMember>();

  constructor(options: TreeReaderOptions) {
    this.#options = options;
  }

  /** Adds the members of each tree, one process a step. `only`: trees to be read; null: all. */
  *read(only: ReadonlySet<string> | null, trees: Map<string, Member[]>): Steps {
    const owners = this.#options.owners();
    const known = this.#owners;
    const next: typeof known = only === null ? new Map() : known;
    const unknown: ProcessStat[] = [];
    const unsureSince = ticksSinceBoot() - UNSURE_TICKS;
    for (const pid of listPids()) {
      const before = known.get(pid);
      if (only !== null && before !== undefined && (before.name === null || !only.has(before.name))) continue;
      const idle = this.#idle(pid);
      const stat = idle?.stat ?? readStat(pid);
      yield;
      if (stat === null) continue;
      owners.know(stat);
      const isKnown = before?.startTime === stat.startTime && (before.name !== null || Number(stat.startTime) < unsureSince);
      if (!isKnown) {
        unknown.push(stat);
        continue;
      }
      next.set(pid, before);
      this.#add(before.name, idle ?? stat, only, trees);
    }
    for (const stat of unknown) {
      const name = owners.of(stat.pid);
      next.set(stat.pid, { startTime: stat.startTime, name });
      this.#add(name, stat, only, trees);
      yield;
    }
    this.#owners = next;
    for (const pid of this.#members.keys()) if (!next.has(pid)) this.#members.delete(pid);
  }

  /** The processes of a tree, as far as the scans so far have found them. */
  treeOf(name: string): { pid: number; startTime: string }[] {
    return [...this.#owners].flatMap(([pid, owner]) => (owner.name === name ? { pid, startTime: owner.startTime } : []));
  }

  #add(name: string | null, found: ProcessStat | KnownMember, only: ReadonlySet<string> | null, trees: Map<string, Member[]>): void {
    if (name === null || (only !== null && !only.has(name))) return;
    const member = "stat" in found ? found : this.#read(found);
    this.#members.set(member.stat.pid, member);
    const members = trees.get(name);
    if (members === undefined) trees.set(name, [member]);
    else members.push(member);
  }

  #read(stat: ProcessStat): KnownMember {
    // Before its figures: what runs in between is read again.
    const run = stat.threads === 1 && !stat.ended ? runOf(stat.pid) : null;
    const at = this.#options.clock.monotonic();
    return { stat, figures: readFigures(stat), at, run, readAt: at };
  }

  /** A process that has not run since it was read: everything is as it was. Null: it has, or that is not known. */
  #idle(pid: number): KnownMember | null {
    const member = this.#members.get(pid);
    if (member === undefined || member.run === null) return null;
    const at = this.#options.clock.monotonic();
    return intervalOf(pid, at) === intervalOf(pid, member.readAt) && runOf(pid) === member.run ? { ...member, at } : null;
  }
}

/** Number of the interval of REREAD_MS that a time is in. Those of processes begin at different samples, so that none reads all again. */
const intervalOf = (pid: number, at: number): number => Math.floor((at + pid * SAMPLE_MS) / REREAD_MS);

/** Nanoseconds that a process with one thread has run, has waited for a processor, and how often; null where the kernel does not count it. */
const runOf = (pid: number): string | null => readProcFile(`/proc/${pid}/schedstat`)?.toString("latin1") ?? null;
