import type { ChildUsage } from "../../../daemon/native/wait-status.ts";
import { PAGE_BYTES, TICKS_PER_SECOND } from "../../../daemon/proc/proc.ts";
import type { Figures } from "../series.ts";
import type { CgroupFigures } from "./cgroup-figures.ts";
import type { Member } from "./tree-reader.ts";
import { type Counter, type Moment, type ProcessReading, TreeUsage } from "./tree-usage.ts";

const COUNTERS = ["cpu", "faults", "read", "written", "switches"] as const;
type CounterName = (typeof COUNTERS)[number];

/** The cgroup of a run, and what was read of it. */
export interface CgroupReading {
  readonly folder: string;
  readonly figures: CgroupFigures;
  /** When it was read, milliseconds of the monotonic clock. */
  readonly at: number;
}

/** A tree as it was read at one moment: the arguments of `TreeFigures.measure`. */
interface TreeSample {
  readonly members: readonly Member[];
  readonly now: Moment;
  readonly since: Moment | null;
  readonly cgroup: CgroupReading | null;
}

/** Load of the tree of one process. */
export class TreeFigures {
  readonly #usage = new TreeUsage<CounterName>();
  #cgroup: CgroupReading | null = null;
  #newest: TreeSample | null = null;
  /** The figures of a tree in which nothing has run since the sample before the last one: they stay the same until something runs. */
  #idle: Figures | null = null;
  /** Whether the newest sample was answered with `#idle`, so that rates are not yet counted from it. */
  #isPending = false;

  /** When it was measured last; null: not yet. */
  get before(): Moment | null {
    return this.#newest?.now ?? null;
  }

  /** In the order of PROCESS_SERIES. `since`: see `TreeUsage`. */
  measure(members: readonly Member[], now: Moment, since: Moment | null, cgroup: CgroupReading | null): Figures {
    const before = this.#newest;
    const sample = { members, now, since, cgroup };
    this.#newest = sample;
    const isIdle = before !== null && hasNotRun(before, sample);
    if (isIdle && this.#idle !== null) {
      this.#isPending = true;
      return this.#idle;
    }
    if (this.#isPending && before !== null) this.#figures(before);
    this.#isPending = false;
    const figures = this.#figures(sample);
    this.#idle = isIdle ? figures : null;
    return figures;
  }

  #figures({ members, now, since, cgroup }: TreeSample): Figures {
    const rates = this.#usage.measure(members.map(toReading), now, COUNTERS, since);
    const living = members.filter(({ stat }) => !stat.ended);
    const own = this.#cgroupRates(cgroup, living.length);
    const cpu = rates.cpu === null ? null : (100 * rates.cpu) / TICKS_PER_SECOND;
    return [
      own.cpu ?? cpu,
      own.memory ?? sum(living, ({ stat }) => stat.rssPages * PAGE_BYTES),
      sum(living, ({ stat }) => stat.threads),
      sum(living, ({ figures }) => figures.descriptors),
      own.read ?? rates.read,
      own.written ?? rates.written,
      rates.switches,
      rates.faults,
    ];
  }

  /**
   * The reading of the cgroup at the time `at`, if no member has run since the last one: reading it again would cost more than everything
   * else. Null: a member has run, ended or begun.
   */
  unchangedCgroup(members: readonly Member[], at: number): CgroupReading | null {
    const cgroup = this.#cgroup;
    const isUnchanged = cgroup?.figures.processes === members.length && members.every(({ readAt }) => readAt < cgroup.at);
    return isUnchanged ? { ...cgroup, at } : null;
  }

  /** The cgroup knows also what has ended; but nothing of processes that have left it, or were there before it. */
  #cgroupRates(reading: CgroupReading | null, living: number): Record<"cpu" | "memory" | "read" | "written", number | null> {
    const before = this.#cgroup?.folder === reading?.folder ? this.#cgroup : null;
    this.#cgroup = reading;
    const now = reading?.figures;
    if (reading === null || now === undefined || now.processes !== living) return { cpu: null, memory: null, read: null, written: null };
    const seconds = before === null ? 0 : (reading.at - before.at) / 1_000;
    const rate = (field: "cpuMs" | "readBytes" | "writtenBytes") => {
      const [value, earlier] = [now[field], before?.figures[field] ?? null];
      return value === null || earlier === null || seconds <= 0 ? null : Math.max(0, value - earlier) / seconds;
    };
    const cpu = rate("cpuMs");
    return { cpu: cpu === null ? null : cpu / 10, memory: now.memory, read: rate("readBytes"), written: rate("writtenBytes") };
  }
}

/** Whether the files and the cgroup of the later sample were not read again, because no member has run, ended or begun. */
function hasNotRun(before: TreeSample, { members, cgroup }: TreeSample): boolean {
  if (before.cgroup?.folder !== cgroup?.folder || before.cgroup?.figures !== cgroup?.figures) return false;
  return members.length === before.members.length && members.every(({ stat }, index) => stat === before.members[index]?.stat);
}

/** Figures of a whole run from what its leader had used when it ended, in the order of PROCESS_SERIES. */
export function endFigures(usage: ChildUsage, { from, to }: { from: number; to: number }): Figures {
  const seconds = Math.max(1, to - from) / 1_000;
  const { cpuMs, maxMemory, readBytes, writtenBytes, contextSwitches, majorFaults } = usage;
  return [
    cpuMs / 10 / seconds,
    maxMemory,
    ...[null, null],
    ...[readBytes, writtenBytes, contextSwitches, majorFaults].map((count) => count / seconds),
  ];
}

function toReading({ stat, figures, at }: Member): ProcessReading<CounterName> {
  const taken = (value: number | null): Counter | null => (value === null ? null : { own: 0, waited: value });
  const { pid, ppid, startTime, ticks, childTicks, majorFaults, childMajorFaults } = stat;
  const { readBytes, writtenBytes, contextSwitches } = figures;
  return {
    pid,
    ppid,
    startTime,
    at,
    counters: {
      cpu: { own: ticks, waited: childTicks },
      faults: { own: majorFaults, waited: childMajorFaults },
      // The kernel adds what children did that were waited for.
      read: taken(readBytes),
      written: taken(writtenBytes),
      switches: contextSwitches === null ? null : { own: contextSwitches, waited: 0 },
    },
  };
}

/** Null: known of none. */
function sum(members: readonly Member[], value: (member: Member) => number | null): number | null {
  let total: number | null = members.length === 0 ? 0 : null;
  for (const member of members) {
    const each = value(member);
    if (each !== null) total = (total ?? 0) + each;
  }
  return total;
}
