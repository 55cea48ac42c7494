import { z } from "zod";
import { untilBeat } from "../../base/timing/clock.ts";
import { bootTicks } from "../native/boot-clock.ts";
import { setChildSubreaper } from "../native/libc.ts";
import type { ProcessStat } from "../proc/process-stat.ts";
import { type Child, onChildSignal } from "../process/child.ts";
import type { RunCgroups } from "./cgroups.ts";
import { Orphans } from "./orphans.ts";
import { earliest, ProcessScanner, type ScanResult } from "./process-scanner.ts";
import { killTrees, ReapedRun, type ReapedRunState } from "./reaped-run.ts";
import { RunTags } from "./run-tag.ts";
import { type RunStart, type RunTree, signalProcess } from "./run-tree.ts";
import { ScanSchedule } from "./scan-schedule.ts";
import { type Adopted, Strays } from "./strays.ts";
import { SweepTimer } from "./sweep-timer.ts";
import type { RunObserver, RunOwners, TrackedTree, TreeReaper } from "./tree-reaper.ts";

export interface ReaperOptions {
  /** This process becomes child subreaper and reaps orphans. Never in an embedding program, which may have orphans of its own. */
  subreaper: boolean;
  /** Each child's environment has `MGR_RUN=<marker>:<run_id>`; unique to this host's lifetime. */
  marker: string;
  observer?: RunObserver;
  /** Pids that are never signalled, besides init and this process: those of the guard. */
  protectedPids?: () => Iterable<number>;
  /** Kills a tree at once, if available; sweeps find the rest and detect when nothing is left. */
  cgroups?: RunCgroups | null;
  /** Receives messages about processes that had to be killed, or could not be killed, after their run had ended. */
  log?: (msg: string) => void;
  /** Time before which none of the runs started, clock ticks since boot; now if left out. */
  since?: number;
  taken?: ReaperState | undefined;
}

/** The reaper of a daemon that replaces its program; its runs hand over their trees. */
export const reaperState = z.object({
  since: z.number(),
  tags: z.int().min(0),
  earlier: z.array(z.tuple([z.number(), z.string().nullable()])),
});
export type ReaperState = z.infer<typeof reaperState>;

/** Polling interval for new orphans, besides SIGCHLD, milliseconds, and its maximum share of time: the list of a thousand children takes the kernel 1 ms. */
const ORPHANS_MS = 2_000;
const ORPHANS_SHARE = 1 / 10_000;
/**
 * A signal is sent at once to the processes in the lists of children. Others (orphans, forks meanwhile) are found by a scan this many
 * milliseconds later; most runs have ended by then.
 */
const SCAN_AFTER_MS = 30;
/** If more runs than this are stopping, many end together: one proof serves those that end within GATHER_MS, milliseconds. */
const FEW_RUNS = 8;
const GATHER_MS = 8;
/** Maximum number of passes through these lists, until one shows nothing new. */
const MAX_PASSES = 4;

/** Kills trees and detects when they are gone (docs/design/runtime-invariants.md, "Tree kill"). One sweep serves all runs that are stopping. */
export function createReaper(options: ReaperOptions): Reaper {
  return new Reaper(options);
}

export class Reaper implements TreeReaper {
  readonly #options: ReaperOptions;
  readonly #entries = new Set<ReapedRun>();
  /** Runs to which a signal was sent, or whose leader ended. Sweeps continue until they are extinct. */
  readonly #active = new Set<ReapedRun>();
  readonly #orphans: Orphans | null;
  readonly #tags: RunTags;
  readonly #scanner: ProcessScanner;
  readonly #sweeps = new SweepTimer(() => this.#sweep());
  readonly #strays: Strays;
  readonly #since: number;
  readonly #stopListening: () => void;
  /** Tags of the runs that are being started, and not tracked yet. */
  readonly #starting = new Map<string, number | null>();
  readonly #scans = new ScanSchedule();
  #unmarked = "";
  #knownOrphans = new Map<number, string>();
  #closed: Promise<void> | null = null;

  constructor(options: ReaperOptions) {
    this.#options = options;
    const { taken } = options;
    this.#since = taken?.since ?? options.since ?? bootTicks();
    this.#tags = new RunTags(options.marker, taken?.tags);
    this.#orphans = options.subreaper ? new Orphans(taken && new Map(taken.earlier)) : null;
    if (this.#orphans) {
      setChildSubreaper(true);
      this.#sweeps.every(
        "orphans",
        () => this.#orphans?.mayBeSome() && this.#watchOrphans(),
        () => Math.max(untilBeat(ORPHANS_MS, performance.now()), (this.#orphans?.cost ?? 0) / ORPHANS_SHARE),
      );
    }
    this.#stopListening = onChildSignal(() => this.#childEnded());
    this.#scanner = new ProcessScanner({
      marker: options.marker,
      excluded: (pid) => [...(options.protectedPids?.() ?? [])].includes(pid),
      tags: this.#tags,
      isOrphan: (stat) => this.#orphans?.isOrphan(stat) ?? false,
    });
    this.#strays = new Strays({ log: options.log ?? (() => {}), adopt: (run) => this.#adopt(run) });
    this.#sweeps.every(
      "scan",
      () => {
        if (this.#scans.check(this.#scanner.cost, this.#entries.size > 0)) this.#scanAll();
      },
      () => ScanSchedule.untilCheck(this.#scanner.cost),
    );
  }

  tagged<T>(runId: string, start: () => T): { started: T; tag: number | null } {
    const failed = () => this.#starting.delete(runId);
    this.#starting.set(runId, null);
    try {
      const { started, tag } = this.#tags.give(start);
      this.#starting.set(runId, tag);
      if (started instanceof Promise) started.catch(failed);
      return { started, tag };
    } catch (error) {
      failed();
      throw error;
    }
  }

  /** Its part of the state that a replaced program hands over; the trees have the rest. */
  handOver(): ReaperState {
    return { since: this.#since, tags: this.#tags.count, earlier: [...(this.#orphans?.earlier ?? [])] };
  }

  track(run: RunStart, taken?: ReapedRunState): TrackedTree {
    const entry = this.#enter(run);
    this.#starting.delete(run.runId);
    if (taken === undefined) this.#options.cgroups?.add(run.runId, run.pid);
    else entry.take(taken);
    this.#options.observer?.runStarted(run);
    if (taken?.is_active === true) this.#sweepNow(entry);
    return {
      handOver: () => entry.handOver(this.#active.has(entry)),
      signal: (signal) => this.#signal(entry, signal),
      join: (start) => this.#join(entry, start),
      signalLeader: (signal) => signalProcess(entry.tree.leader.pid, entry.tree.leader.startTime, signal),
      killRest: () => this.#kill(entry),
      killNow: () => this.#killNow(entry),
      extinct: () => entry.extinct,
    };
  }

  owners(): RunOwners {
    const ownerOf = this.#scanner.owners(this.#trees());
    return (stat) => ownerOf(stat)?.runId ?? null;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#strays.end(() => this.#scanAll());
    this.#sweeps.close();
    this.#stopListening();
    if (this.#orphans) setChildSubreaper(false);
    this.#orphans?.close();
    for (const entry of this.#entries) entry.end();
    this.#entries.clear();
    this.#active.clear();
  }

  #enter(run: RunStart): ReapedRun {
    const entry = new ReapedRun(run, this.#orphans !== null);
    this.#entries.add(entry);
    return entry;
  }

  /** Makes a run of processes that carry a mark of this host but belong to no living run, and kills it. */
  #adopt(run: RunStart): Adopted {
    const entry = this.#enter(run);
    this.#kill(entry);
    return { extinct: entry.extinct, forget: () => this.#remove(entry) };
  }

  #join(entry: ReapedRun, start: () => Child): Child {
    const child = this.#tags.lend(entry.tree.tag, start).started;
    entry.auxiliaryProcesses.add(child);
    this.#options.cgroups?.add(entry.tree.runId, child.pid);
    child.once("exit", () => entry.auxiliaryProcesses.delete(child));
    return child;
  }

  #signal(entry: ReapedRun, signal: string): void {
    if (signal === "SIGKILL") this.#kill(entry);
    else {
      entry.send(signal);
      if (this.#orphans === null || entry.tree.killing) this.#sweepNow(entry);
      else this.#deliverAtOnce(entry);
    }
  }

  #deliverAtOnce(entry: ReapedRun): void {
    this.#activate(entry, performance.now() + SCAN_AFTER_MS);
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const isNew = entry.tree.addDescendants();
      if (isNew || pass === 0) entry.deliver(false);
      if (!isNew) break;
    }
    if (this.#entries.has(entry)) this.#sweeps.within(SCAN_AFTER_MS);
  }

  #kill(entry: ReapedRun): void {
    entry.tree.killing = true;
    this.#options.cgroups?.kill(entry.tree.runId);
    this.#sweepNow(entry);
  }

  #killNow(entry: ReapedRun): void {
    const trees = this.#trees();
    const scan = () => this.#scan(trees, entry.tree.since);
    scan();
    killTrees([entry.tree], scan);
    this.#kill(entry);
  }

  #sweepNow(entry: ReapedRun): void {
    if (this.#activate(entry, 0)) this.#sweeps.now();
  }

  /** Returns false if the run is extinct. */
  #activate(entry: ReapedRun, scanFrom: number): boolean {
    entry.activate(scanFrom);
    if (!this.#entries.has(entry)) return false;
    this.#active.add(entry);
    return true;
  }

  #remove(entry: ReapedRun): void {
    this.#entries.delete(entry);
    this.#active.delete(entry);
    this.#options.cgroups?.remove(entry.tree.runId);
    this.#options.observer?.runEnded(entry.tree.runId);
    this.#scans.runEnded();
    entry.end();
  }

  /** One sweep for all runs that are stopping. Returns whether another one is needed. */
  #sweep(): boolean {
    if (this.#active.size === 0) return false;
    const hasList = this.#removeExtinct(false);
    const active = [...this.#active];
    if (active.length === 0) return false;
    const rest = Math.min(...active.map((entry) => entry.scanFrom)) - performance.now();
    if (hasList && rest > 0) {
      this.#sweeps.within(rest);
      return true;
    }
    const trees = this.#trees();
    const { isComplete } = this.#scan(trees, earliest(active.map((entry) => entry.tree)));
    for (const entry of active) entry.deliver(true);
    if (!hasList) for (const entry of active) if (entry.isGoneAfterScan(isComplete)) this.#remove(entry);
    const killed = this.#killing().map((entry) => entry.tree);
    killTrees(killed, () => this.#scan(trees, earliest(killed)));
    this.#reportUnmarked();
    return true;
  }

  /**
   * Removes the runs of which nothing is left (the proof: `Orphans.collect`), all of them by one scan. Returns false if there is no list of
   * orphans.
   */
  #removeExtinct(asWaitedFor: boolean): boolean {
    if (this.#orphans === null) return false;
    // Checked before the list is read: a leader that ends meanwhile may leave orphans that the list does not show.
    const ended = [...this.#active].filter((entry) => entry.hasEnded(asWaitedFor));
    const found = this.#orphans.collect();
    if (found === null) return false;
    const owners = this.#addOrphans(found.orphans);
    if (!found.isProven) return true;
    for (const entry of ended) {
      if (owners.has(entry.tree)) entry.deliver(false);
      else this.#remove(entry);
    }
    return true;
  }

  /**
   * Freezes orphans of trees that are being killed at once, before they fork again and end: a process that hops from pid to pid is gone
   * before a full scan reaches it. Orphans of other trees are remembered. Returns the trees with orphans.
   */
  #addOrphans(orphans: readonly ProcessStat[]): Set<RunTree> {
    const owners = new Set<RunTree>();
    if (orphans.length === 0) return owners;
    const ownerOf = this.#scanner.ownersOfOrphans(this.#trees());
    for (const orphan of orphans) {
      const owner = ownerOf(orphan);
      if (owner === undefined) continue;
      owners.add(owner);
      owner.members.set(orphan.pid, orphan.startTime);
      if (owner.killing) signalProcess(orphan.pid, orphan.startTime, "SIGSTOP");
    }
    return owners;
  }

  #childEnded(): void {
    const { size } = this.#active;
    // Trees that fork until they are killed need the scan, whose sweep proves ends as well.
    if (size > FEW_RUNS && this.#killsMany()) this.#sweeps.now();
    else if (size > 0) this.#sweeps.atOnce(() => this.#prove(), size > FEW_RUNS ? GATHER_MS : 0);
    else if (this.#orphans) this.#sweeps.soon("reap", () => this.#watchOrphans());
  }

  /**
   * Proves the ends of runs after a child has ended, mostly the last process of its tree. A sweep would prove them as well, but only after
   * the pause that follows the scan of the sweep before.
   */
  #prove(): void {
    const isListed = this.#removeExtinct(true);
    if (isListed ? this.#killing().length > 0 : this.#active.size > 0) this.#sweeps.now();
  }

  /** Between stops: reaps zombies, and scans for orphans that carry no mark. */
  #watchOrphans(): void {
    const { orphans } = this.#orphans?.collect() ?? { orphans: [] };
    const known = this.#knownOrphans;
    this.#knownOrphans = new Map(orphans.map((orphan) => [orphan.pid, orphan.startTime]));
    const fresh = orphans.filter((orphan) => known.get(orphan.pid) !== orphan.startTime);
    if (fresh.length === 0) return;
    const ownerOf = this.#scanner.owners(this.#trees());
    const isSure = (orphan: ProcessStat) => ownerOf(orphan) !== undefined && this.#scanner.isMarked(orphan.pid, orphan.startTime);
    if (!fresh.every(isSure)) this.#scanAll();
  }

  /** Scans all processes. Returns false if one may have been missed. */
  #scanAll(): boolean {
    this.#scans.scanned();
    const { isComplete } = this.#scan(this.#trees(), this.#since);
    this.#reportUnmarked();
    return isComplete;
  }

  #scan(trees: readonly RunTree[], since: number): ScanResult {
    const result = this.#scanner.scan(trees, since);
    if (result.strays.length > 0) {
      const living = [...this.#starting, ...this.#trees().map(({ runId, tag }) => [runId, tag])].flat();
      this.#strays.found(result.strays.filter(({ mark }) => !living.includes(mark)));
    }
    return result;
  }

  #reportUnmarked(): void {
    const { observer } = this.#options;
    if (!observer) return;
    const unmarked = this.#trees()
      .flatMap((tree) => [...tree.members].map(([pid, startTime]) => ({ pid, startTime })))
      .filter(({ pid, startTime }) => !this.#scanner.isMarked(pid, startTime));
    const text = JSON.stringify(unmarked);
    if (text === this.#unmarked) return;
    this.#unmarked = text;
    observer.unmarked(unmarked);
  }

  /** Whether many trees are being killed. Called at each end of a child. */
  #killsMany(): boolean {
    let count = 0;
    for (const { tree } of this.#active) if (tree.killing && ++count > FEW_RUNS) return true;
    return false;
  }

  #killing(): ReapedRun[] {
    return [...this.#active].filter((entry) => entry.tree.killing);
  }

  #trees(): RunTree[] {
    return Array.from(this.#entries, (entry) => entry.tree);
  }
}
