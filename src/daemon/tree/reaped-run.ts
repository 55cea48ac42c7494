import { z } from "zod";
import { bootTicks } from "../native/boot-clock.ts";
import { type Child, isOwnChild, ownChild } from "../process/child.ts";
import { type RunStart, RunTree, runTreeState, sendSignals, signalProcess } from "./run-tree.ts";

/** Maximum number of scans within one sweep until every process that could still fork is frozen. */
const MAX_FREEZES = 8;
/** Number of consecutive complete scans that must find nothing, without a list of orphans: an environment is unreadable during execve. */
const MIN_EMPTY_SCANS = 2;
/** Signals that a SIGCONT after them would undo. */
const STOPPING = new Set(["SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"]);

interface PendingSignal {
  signal: string;
  /** Processes born later do not get the signal: a shell's own clean-up must not be killed with it. Clock ticks since boot. */
  before: number;
  reached: Set<number>;
  /** Scans so far: a second one finds processes forked during the first. */
  scans: number;
}

/** A run of a daemon that replaces its program, as its reaper knows it. */
export const reapedRunState = z.object({
  tree: runTreeState,
  is_active: z.boolean(),
  signals: z.array(z.object({ signal: z.string(), before: z.number(), reached: z.array(z.number()), scans: z.number() })),
});
export type ReapedRunState = z.infer<typeof reapedRunState>;

/** A run as the reaper knows it: its tree, its pending signals, and the search for its remaining processes. */
export class ReapedRun {
  readonly tree: RunTree;
  /** Children of this process besides the leader that have not ended: their descendants are not orphans yet. */
  readonly auxiliaryProcesses = new Set<Child>();
  /** Resolves when `end` is called. */
  readonly extinct: Promise<void>;
  end = () => {};
  /** Time from which a scan is due that finds members missing in the lists of children, on the clock of `performance`. */
  scanFrom = 0;
  /** The leader; null: it is not a child of this process, or other code in this program may wait for it. */
  readonly #leader: Child | null;
  #leaderEnded = false;
  #signals: PendingSignal[] = [];
  #emptyScans = 0;

  /** `isOurs`: no other code in this program waits for its children. */
  constructor(run: RunStart, isOurs: boolean) {
    this.tree = new RunTree(run);
    this.#leader = isOurs ? ownChild(run.pid) : null;
    this.extinct = new Promise<void>((resolve) => {
      this.end = resolve;
    });
  }

  take({ tree, signals }: ReapedRunState): void {
    this.tree.take(tree);
    this.#signals = signals.map(({ reached, ...signal }) => ({ ...signal, reached: new Set(reached) }));
  }

  handOver(isActive: boolean): ReapedRunState {
    const signals = this.#signals.map(({ reached, ...signal }) => ({ ...signal, reached: [...reached] }));
    return { tree: this.tree.handOver(), is_active: isActive, signals };
  }

  activate(scanFrom: number): void {
    this.scanFrom = scanFrom;
    this.#emptyScans = 0;
  }

  /** Whether its leader and companions have ended. `asWaitedFor`: a leader whose end was not observed yet counts as alive, without a check. */
  hasEnded(asWaitedFor: boolean): boolean {
    if (this.auxiliaryProcesses.size > 0 || (asWaitedFor && isOwnChild(this.tree.leader.pid))) return false;
    this.#leaderEnded ||= this.#isWaitedFor || !this.tree.leaderAlive;
    return this.#leaderEnded;
  }

  /** Whether the leader's end was observed, so that /proc need not be read. null: it has to be read. */
  get #isWaitedFor(): boolean | null {
    return this.#leader && ownChild(this.#leader.pid) !== this.#leader;
  }

  /** Adds a signal: `deliver` sends it to all members, the sweeps to those that they find. */
  send(signal: string): void {
    this.#signals.push({ signal, before: bootTicks() + 1, reached: new Set(), scans: 0 });
  }

  /** Sends pending signals to the members that have not received them. `isScanned`: the members are those of a scan. */
  deliver(isScanned: boolean): void {
    for (const pending of this.#signals) {
      for (const [pid, startTime] of this.tree.members) {
        if (pending.reached.has(pid) || Number(startTime) > pending.before) continue;
        pending.reached.add(pid);
        const signals = STOPPING.has(pending.signal) ? [pending.signal] : [pending.signal, "SIGCONT"];
        if (pid === this.#leader?.pid && this.#isWaitedFor === false) sendSignals(pid, signals);
        else signalProcess(pid, startTime, ...signals);
      }
      if (isScanned) pending.scans++;
    }
    this.#signals = this.#signals.filter((pending) => pending.scans < 2);
  }

  /** Without a list of orphans: returns true once enough complete scans in a row have found nothing. */
  isGoneAfterScan(isComplete: boolean): boolean {
    if (this.tree.members.size > 0 || this.auxiliaryProcesses.size > 0) this.#emptyScans = 0;
    else if (isComplete) this.#emptyScans++;
    return this.#emptyScans >= MIN_EMPTY_SCANS;
  }
}

/**
 * Freezes processes before it kills them: a frozen process can neither fork nor leave its children without a known parent. `look` finds
 * more members.
 */
export function killTrees(trees: readonly RunTree[], look: () => void): void {
  const frozen = new Set<string>();
  for (let scans = 0; scans < MAX_FREEZES; scans++) {
    let found = false;
    for (const { members } of trees) {
      for (const [pid, startTime] of members) {
        const key = `${pid}:${startTime}`;
        if (frozen.has(key)) continue;
        frozen.add(key);
        if (signalProcess(pid, startTime, "SIGSTOP")) found = true;
      }
    }
    if (!found) break;
    look();
  }
  for (const { members } of trees) for (const [pid, startTime] of members) signalProcess(pid, startTime, "SIGKILL");
}
