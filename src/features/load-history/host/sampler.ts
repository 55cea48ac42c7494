import { messageOf } from "../../../base/errors.ts";
import { type Clock, untilBeat } from "../../../base/timing/clock.ts";
import { SlicedWork, type Steps } from "../../../base/timing/turns.ts";
import type { ChildUsage } from "../../../daemon/native/wait-status.ts";
import { readStat, ticksSinceBoot } from "../../../daemon/proc/proc.ts";
import type { TaskOwners } from "../../../daemon/tree/task-owners.ts";
import { type Figures, SAMPLE_MS, WATCHED_SAMPLE_MS } from "../series.ts";
import { RunCgroupFolders, readCgroup } from "./cgroup-figures.ts";
import { type Histories, MACHINE } from "./histories.ts";
import type { MachineFigures } from "./machine-figures.ts";
import type { TreeProcess } from "./memory-details.ts";
import type { Interval } from "./rings/series-history.ts";
import { type CgroupReading, endFigures, TreeFigures } from "./tree-figures.ts";
import { type Member, TreeReader } from "./tree-reader.ts";
import type { Moment } from "./tree-usage.ts";

/** Maximum time of one turn of the event loop, milliseconds: keys that are typed into a terminal wait behind it. */
const SLICE_MS = 2;
/** Samples of everything between two looks for old files: an hour. */
const TEND_EVERY = 360;

/** A run whose tree is sampled. */
export interface SampledRun {
  readonly runId: string;
  readonly pid: number;
}

export interface SamplerOptions {
  readonly clock: Clock;
  readonly owners: () => TaskOwners;
  /** Runs that are not extinct, by the name of the process. */
  readonly runs: ReadonlyMap<string, SampledRun>;
  readonly histories: Histories;
  readonly machine: MachineFigures;
  /** Processes to be sampled each second, now. */
  readonly watched: () => ReadonlySet<string>;
  /** Called with the figures of those that run. */
  readonly sampled: (time: number, rows: [name: string, figures: Figures][]) => void;
  /** Called with each measurement of a tree. */
  readonly measured?: (name: string, figures: Figures) => void;
  /** Called with each measurement of the machine. */
  readonly machineMeasured?: (figures: Figures) => void;
  readonly warn: (msg: string) => void;
}

/** When a scan began, also by the wall clock. */
interface ScanTime extends Moment {
  readonly time: number;
}

/** Samples all trees every 10 s, and those that are watched each second. */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #work = new SlicedWork({ ms: SLICE_MS });
  readonly #reader: TreeReader;
  readonly #cgroups = new RunCgroupFolders();
  readonly #trees = new Map<string, TreeFigures>();
  /** The newest run of each process that was measured. */
  readonly #measured = new Map<string, string>();
  /** Processes with a run that has ended without a measurement since the last sample of everything. */
  readonly #ended = new Set<string>();
  /** The last sample of everything; at first, when nothing was running yet. */
  #whole: Moment;
  #wholeNumber = -1;
  #wholes = 0;
  #timer: unknown = null;
  #isBusy = false;
  #isClosed = false;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#reader = new TreeReader(options);
    this.#whole = { at: options.clock.monotonic(), ticks: ticksSinceBoot() };
    options.machine.measure(this.#whole.at);
    this.#schedule();
  }

  /**
   * A run has ended. If it was too short to be measured, its end is its only sample: what its leader has used. The time before it is the one of
   * the run, so that a program that fails again and again has a history, too.
   */
  runEnded(name: string, runId: string, usage: ChildUsage, interval: Interval): void {
    if (this.#isClosed || this.#measured.get(name) === runId) return;
    this.#options.histories.open(name).add(endFigures(usage, interval), interval);
    this.#ended.add(name);
  }

  /** The tree of a process, as of the last sample; of a process that was started since, its leader. */
  treeOf(name: string): readonly TreeProcess[] {
    const leader = this.#options.runs.get(name)?.pid;
    if (leader === undefined) return [];
    const tree = this.#reader.treeOf(name);
    const stat = tree.some(({ pid }) => pid === leader) ? null : readStat(leader);
    return stat === null ? tree : [{ pid: leader, startTime: stat.startTime }, ...tree];
  }

  /** Watched processes have changed: the next sample may be due sooner. */
  watchChanged(): void {
    const watched = this.#options.watched();
    for (const [name, history] of this.#options.histories.running()) history.watch(watched.has(name));
    if (this.#isBusy || this.#isClosed) return;
    this.#options.clock.clearTimeout(this.#timer);
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#work.close();
  }

  /** Samples begin where slots of the wall clock do. */
  #schedule(): void {
    if (this.#isClosed) return;
    const { clock, watched } = this.#options;
    const period = watched().size > 0 ? WATCHED_SAMPLE_MS : SAMPLE_MS;
    this.#timer = clock.setTimeout(() => void this.#sample(), untilBeat(period, clock.now()));
  }

  async #sample(): Promise<void> {
    this.#isBusy = true;
    try {
      const time = this.#options.clock.now();
      const number = Math.round(time / SAMPLE_MS);
      const isWhole =
        number !== this.#wholeNumber &&
        (this.#options.watched().size === 0 || Math.abs(time - number * SAMPLE_MS) <= WATCHED_SAMPLE_MS / 2);
      if (isWhole) this.#wholeNumber = number;
      const now = { time, at: this.#options.clock.monotonic(), ticks: ticksSinceBoot() };
      await this.#work.run(isWhole ? this.#sampleAll(now) : this.#sampleTrees(now, this.#options.watched()));
    } catch (error) {
      this.#options.warn(`the load of this host could not be measured: ${messageOf(error)}`);
    } finally {
      this.#isBusy = false;
      this.#schedule();
    }
    // Not awaited: a disk may hang.
    void this.#options.histories.files?.save();
  }

  *#sampleAll(now: ScanTime): Steps {
    const { histories, machine } = this.#options;
    const figures = machine.measure(now.at);
    histories.open(MACHINE).add(figures, intervalTo(now, this.#whole));
    this.#options.machineMeasured?.(figures);
    yield;
    const running = new Set([...this.#trees.keys(), ...this.#ended]);
    this.#ended.clear();
    yield* this.#sampleTrees(now, null);
    for (const name of running) {
      if (this.#options.runs.has(name)) continue;
      this.#trees.delete(name);
      this.#measured.delete(name);
      histories.end(name);
    }
    this.#whole = now;
    histories.tidy();
    if (++this.#wholes % TEND_EVERY === 0) void histories.files?.tend();
  }

  /** `only`: null: all trees. */
  *#sampleTrees(now: ScanTime, only: ReadonlySet<string> | null): Steps {
    const { runs, sampled, watched } = this.#options;
    if (runs.size === 0) return;
    const members = new Map<string, Member[]>();
    yield* this.#reader.read(only, members);
    const rows: [string, Figures][] = [];
    for (const [name, tree] of members) {
      const figures = this.#measure(name, tree, now);
      if (watched().has(name)) rows.push([name, figures]);
      yield;
    }
    if (rows.length > 0) sampled(now.time, rows);
  }

  #measure(name: string, members: readonly Member[], now: ScanTime): Figures {
    const { clock, histories, watched } = this.#options;
    const tree = this.#trees.get(name) ?? new TreeFigures();
    this.#trees.set(name, tree);
    const run = this.#options.runs.get(name);
    if (run !== undefined) this.#measured.set(name, run.runId);
    const before = tree.before ?? this.#whole;
    const cgroup = tree.unchangedCgroup(members, clock.monotonic()) ?? this.#cgroup(name);
    const figures = tree.measure(members, now, this.#whole, cgroup);
    const history = histories.open(name);
    history.watch(watched().has(name));
    history.add(figures, intervalTo(now, before));
    this.#options.measured?.(name, figures);
    return figures;
  }

  #cgroup(name: string): CgroupReading | null {
    const run = this.#options.runs.get(name);
    const folder = run === undefined ? null : this.#cgroups.of(run.runId, run.pid);
    const figures = folder === null ? null : readCgroup(folder);
    return folder === null || figures === null ? null : { folder, figures, at: this.#options.clock.monotonic() };
  }
}

/** The wall clock may be set within an interval: its length is that of the monotonic one. */
function intervalTo(now: ScanTime, before: Moment): Interval {
  return { from: now.time - (now.at - before.at), to: now.time };
}
