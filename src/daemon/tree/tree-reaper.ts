import type { ProcessStat } from "../proc/process-stat.ts";
import type { Child } from "../process/child.ts";
import type { RunStart } from "./run-tree.ts";

/** The run that a process belongs to by a mark of its own; null: by none, but perhaps by descent. */
export type RunOwners = (stat: ProcessStat) => string | null;

export interface TreeReaper {
  /**
   * Starts a run so that everything it ever forks can be recognised: the fork has to happen before `start` returns. The
   * tag goes to `track`; a start that throws or rejects leaves nothing behind.
   */
  tagged<T>(runId: string, start: () => T): { started: T; tag: number | null };
  /** Knows a run from now on. Its leader has to carry `MGR_RUN=<marker>:<runId>` and to lead a session of its own. */
  track(run: RunStart): TrackedTree;
  /** For one list of processes: based on what is known now. */
  owners(): RunOwners;
  /** Forgets all runs. Resolves when nothing is left of those that have ended. */
  close(): Promise<void>;
}

export interface TrackedTree {
  /** Sent to the whole current tree, followed by SIGCONT: a stopped process would not receive it. SIGKILL repeats until extinct. */
  signal(signal: string): void;
  /** The child that `start` forks before it returns belongs to the run, as if its leader had forked it. */
  join(start: () => Child): Child;
  /** False: the leader has ended. */
  signalLeader(signal: string): boolean;
  /** The leader has ended: kills the rest until nothing is left. */
  killRest(): void;
  /** Finds and kills the whole tree in this turn: sweeps may come too late on a machine that is very busy. */
  killNow(): void;
  /** Resolves when it is proven that leader and tree are gone, asked for by `signal` or `killRest`; also on `close`. */
  extinct(): Promise<void>;
}

/** What a guard needs to know so that nothing outlives this process (guard.ts). */
export interface RunObserver {
  runStarted(run: { runId: string; pid: number; startTime: string }): void;
  runEnded(runId: string): void;
  /** All living processes of our runs that do not carry the marker: the guard could not find them otherwise. */
  unmarked(processes: readonly { pid: number; startTime: string }[]): void;
}
