import { statSync } from "node:fs";
import { environmentValue, listNames, readStat, scanProcesses } from "../proc/proc.ts";
import type { ProcessStat } from "../proc/process-stat.ts";
import { RUN_MARKER } from "../process/environment.ts";
import type { RunTags } from "./run-tag.ts";
import type { RunTree, TerminalIdentity } from "./run-tree.ts";

/** A process's mark: the run id in its marker variable, or its tag. */
export type Mark = string | number;
type StatReader = (pid: number) => ProcessStat | null;

/** A living process that carries a mark of this host and belongs to none of the given runs. */
export interface Stray {
  stat: ProcessStat;
  mark: Mark;
}

export interface ScanResult {
  /** Whether no living process was missed (`Scan`). */
  isComplete: boolean;
  /** Strays, the oldest first. */
  strays: Stray[];
}

interface ProcessScannerOptions {
  /** The beginning of `MGR_RUN` for this host's runs, without the colon. */
  marker: string;
  /** Whether a process belongs to no run, whatever marks it carries. */
  excluded: (pid: number) => boolean;
  /** Tags of this host's runs. */
  tags: RunTags;
  /** Whether a process is a child reparented to this one as subreaper. */
  isOrphan: (stat: ProcessStat) => boolean;
}

/**
 * Determines which process belongs to which run, by one scan of /proc for all trees: remembered members, sessions that
 * members began, the marker variable and the tag, descent, holders of the run's terminal (docs/design/runtime-invariants.md, "Tree kill").
 */
export class ProcessScanner {
  readonly #options: ProcessScannerOptions;
  readonly #ownSession = readStat(process.pid)?.session ?? 0;
  /** Run id or tag of each process, null for none; by pid. An environment changes by execve only, and so does the program's name. */
  readonly #markers = new Map<number, { startTime: string; comm: string; mark: Mark | null }>();
  #cost = 0;

  constructor(options: ProcessScannerOptions) {
    this.#options = options;
  }

  /** Duration of the last scan, milliseconds. */
  get cost(): number {
    return this.#cost;
  }

  /** Updates the members of all `trees`. Ignores processes that started before `since`. */
  scan(trees: readonly RunTree[], since: number): ScanResult {
    const begin = performance.now();
    const { processes: scan, isComplete } = scanProcesses(since);
    const statOf: StatReader = (pid) => scan.get(pid) ?? readStat(pid);
    const owners = this.#remembered(trees, scan, since);
    const sessions = sessionsOf(trees);
    const marks = marksOf(trees);
    // Parents before children, so that one pass follows a whole line of descent.
    let open = [...scan.values()].filter((stat) => !owners.has(stat.pid) && this.#canBelong(stat)).sort(byAge);

    const settle = (decide: (stat: ProcessStat) => RunTree | undefined): boolean => {
      const before = open.length;
      open = open.filter((stat) => {
        const tree = decide(stat);
        if (!tree || Number(stat.startTime) < tree.since) return true;
        owners.set(stat.pid, tree);
        tree.add(stat, statOf);
        for (const session of tree.sessions) sessions.set(session, tree);
        return false;
      });
      return open.length < before;
    };
    const byCertainSign = (stat: ProcessStat) =>
      this.#bySession(stat, sessions, statOf) ?? this.#byMark(stat, marks) ?? byDescent(stat, owners, scan);
    const byAnySign = (stat: ProcessStat) =>
      byDescent(stat, owners, scan) ?? byTerminal(stat, trees) ?? (this.#options.isOrphan(stat) ? nearest(stat, trees) : undefined);
    // Each process found adds its session and children, and so on until nothing is added.
    for (let isSettled = false; !isSettled; ) {
      while (settle(byCertainSign));
      isSettled = !settle(byAnySign);
    }
    this.#forgetMarkers(scan, since);
    const strays = open.flatMap((stat) => {
      const mark = this.#markOf(stat);
      return mark === null ? [] : [{ stat, mark }];
    });
    this.#cost = performance.now() - begin;
    return { isComplete, strays };
  }

  /** Assigns single processes to runs without a full scan: those that are remembered, marked or in a run's session. */
  owners(trees: readonly RunTree[]): (stat: ProcessStat) => RunTree | undefined {
    const since = earliest(trees);
    const members = new Map(trees.flatMap((tree) => [...tree.members].map(([pid, startTime]) => [pid, { startTime, tree }] as const)));
    const sessions = sessionsOf(trees);
    const marks = marksOf(trees);
    return (stat) => {
      const known = members.get(stat.pid);
      if (known?.startTime === stat.startTime) return known.tree;
      if (Number(stat.startTime) < since || stat.ppid === 2) return undefined;
      return this.#bySession(stat, sessions, readStat) ?? this.#byMark(stat, marks);
    };
  }

  /** As `owners`, for orphans, whose line of descent is lost. */
  ownersOfOrphans(trees: readonly RunTree[]): (stat: ProcessStat) => RunTree | undefined {
    const bySign = this.owners(trees);
    return (stat) => bySign(stat) ?? byTerminal(stat, trees) ?? nearest(stat, trees);
  }

  /** Whether a process carries a marker or tag of this host, so that a guard finds it by itself; as of the last scan of it. */
  isMarked(pid: number, startTime: string): boolean {
    const known = this.#markers.get(pid);
    if (known?.startTime === startTime) return known.mark !== null;
    const stat = readStat(pid);
    return stat?.startTime === startTime && this.#markOf(stat) !== null;
  }

  /** Returns the members that still live, and forgets the others. */
  #remembered(trees: readonly RunTree[], scan: Map<number, ProcessStat>, since: number): Map<number, RunTree> {
    const owners = new Map<number, RunTree>();
    for (const tree of trees) {
      for (const [pid, startTime] of tree.members) {
        const stat = scan.get(pid);
        if (stat && stat.startTime === startTime && !stat.ended) owners.set(pid, tree);
        else if (Number(startTime) >= since) tree.members.delete(pid);
      }
    }
    return owners;
  }

  #canBelong(stat: ProcessStat): boolean {
    // pid 2 is the parent of the kernel's threads.
    return !stat.ended && stat.pid > 2 && stat.ppid !== 2 && stat.pid !== process.pid && !this.#options.excluded(stat.pid);
  }

  #bySession(stat: ProcessStat, sessions: Map<number, RunTree>, statOf: StatReader): RunTree | undefined {
    if (stat.session === this.#ownSession) return undefined;
    const tree = sessions.get(stat.session);
    return tree?.holdsSession(stat.session, statOf) ? tree : undefined;
  }

  #byMark(stat: ProcessStat, marks: Map<Mark | null, RunTree>): RunTree | undefined {
    const mark = this.#markOf(stat);
    return mark === null ? undefined : marks.get(mark);
  }

  #markOf({ pid, startTime, comm }: ProcessStat): Mark | null {
    const known = this.#markers.get(pid);
    if (known?.startTime === startTime) return known.mark;
    // The tag is read first: reading an environment takes four times as long.
    const tag = this.#options.tags.of(pid);
    const runId = tag === null ? environmentValue(pid, RUN_MARKER, `${this.#options.marker}:`) : undefined;
    const mark = tag ?? runId ?? null;
    // An environment may be unreadable for a moment inside execve: checked again next time.
    if (tag !== null || runId !== undefined) this.#markers.set(pid, { startTime, comm, mark });
    return mark;
  }

  #forgetMarkers(scan: Map<number, ProcessStat>, since: number): void {
    for (const [pid, { startTime, comm }] of this.#markers) {
      const stat = scan.get(pid);
      if (Number(startTime) >= since && (stat?.startTime !== startTime || stat.comm !== comm)) this.#markers.delete(pid);
    }
  }
}

/** Start time of the oldest tree, clock ticks since boot; infinite for no trees. */
export function earliest(trees: readonly RunTree[]): number {
  return trees.reduce((since, tree) => Math.min(since, tree.since), Number.POSITIVE_INFINITY);
}

function sessionsOf(trees: readonly RunTree[]): Map<number, RunTree> {
  return new Map(trees.flatMap((tree) => [...tree.sessions].map((session) => [session, tree] as const)));
}

function marksOf(trees: readonly RunTree[]): Map<Mark | null, RunTree> {
  const marks = new Map<Mark | null, RunTree>();
  for (const tree of trees) marks.set(tree.runId, tree).set(tree.tag, tree);
  return marks;
}

function byAge(a: ProcessStat, b: ProcessStat): number {
  return Number(a.startTime) - Number(b.startTime) || a.pid - b.pid;
}

function byDescent(stat: ProcessStat, owners: Map<number, RunTree>, scan: Map<number, ProcessStat>): RunTree | undefined {
  const parent = scan.get(stat.ppid);
  return parent && Number(parent.startTime) <= Number(stat.startTime) ? owners.get(stat.ppid) : undefined;
}

/**
 * Finds the run by the terminal: programs that left session and environment mostly keep the terminal as 0, 1 or 2. A process with its own
 * terminal is a user's shell.
 */
function byTerminal(stat: ProcessStat, trees: readonly RunTree[]): RunTree | undefined {
  if (stat.tty !== 0 || trees.every((tree) => tree.terminal === null)) return undefined;
  const files = stat.ppid === process.pid || stat.ppid === 1 ? listNames(`/proc/${stat.pid}/fd`) : ["0", "1", "2"];
  for (const fd of files) {
    const file = identityOf(`/proc/${stat.pid}/fd/${fd}`);
    if (!file) continue;
    // Terminal numbers are reused: the newest run that is older than the process matches.
    const tree = trees.findLast(
      ({ terminal, since }) => terminal?.ino === file.ino && terminal.dev === file.dev && since <= Number(stat.startTime),
    );
    if (tree) return tree;
  }
  return undefined;
}

/**
 * Finds the run of an orphan without any trace, among older runs that could not be tagged: the newest one that is ending, as the orphan's
 * parent did, else the newest.
 */
function nearest(stat: ProcessStat, trees: readonly RunTree[]): RunTree | undefined {
  const older = trees.filter((tree) => tree.tag === null && tree.since <= Number(stat.startTime)).sort((a, b) => a.since - b.since);
  return older.findLast((tree) => tree.killing) ?? older.at(-1);
}

function identityOf(path: string): TerminalIdentity | null {
  try {
    return statSync(path);
  } catch {
    return null; // Closed or ended since, or another user's.
  }
}
