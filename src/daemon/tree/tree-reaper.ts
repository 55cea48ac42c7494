import type { ProcessStat } from "../proc/process-stat.ts";
import type { Child } from "../process/child.ts";
import type { ReapedRunState } from "./reaped-run.ts";
import type { RunStart } from "./run-tree.ts";

/** Returns the run that a process belongs to by its own mark; null: none, but perhaps by descent. */
export type RunOwners = (stat: ProcessStat) => string | null;

export interface TreeReaper {
  /**
   * Starts a run so that everything it ever forks can be recognised: the fork has to happen before `start` returns. The tag is passed to
   * `track`; a start that throws or rejects leaves nothing behind.
   */
  tagged<T>(runId: string, start: () => T): { started: T; tag: number | null };
  /**
   * Tracks a run from now on. Its leader has to carry `MGR_RUN=<marker>:<runId>` and to lead its own session. `taken`: what the program before
   * this one knew of it.
   */
  track(run: RunStart, taken?: ReapedRunState): TrackedTree;
  /** Returns the owners of processes as known now; created for each list of processes. */
  owners(): RunOwners;
  /** Forgets all runs. Resolves when nothing is left of runs that have ended. */
  close(): Promise<void>;
}

export interface TrackedTree {
  /** Sends a signal to the whole current tree, followed by SIGCONT: a stopped process would not receive it. SIGKILL repeats until extinct. */
  signal(signal: string): void;
  /** Starts a child, forked before `start` returns, that belongs to the run as if its leader had forked it. */
  join(start: () => Child): Child;
  /** Signals the leader; false: it has ended. */
  signalLeader(signal: string): boolean;
  /** Kills the tree until nothing is left. */
  killRest(): void;
  /** Finds and kills the whole tree in this turn: sweeps may come too late on a very busy machine. */
  killNow(): void;
  handOver(): ReapedRunState;
  /** Resolves when it is proven that leader and tree are gone, after `signal` or `killRest`; also on `close`. */
  extinct(): Promise<void>;
}

/** Observes runs, so that a guard can kill those that outlive this process (guard.ts). */
export interface RunObserver {
  runStarted(run: { runId: string; pid: number; startTime: string }): void;
  runEnded(runId: string): void;
  /** Receives all living processes of the runs that do not carry the marker: the guard could not find them otherwise. */
  unmarked(processes: readonly { pid: number; startTime: string }[]): void;
}
