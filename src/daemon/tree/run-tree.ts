import { statSync } from "node:fs";
import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import { realTimeNumber } from "../../protocol/process/signals.ts";
import { childrenOf, isAlive, readStat, startTimeOf } from "../proc/proc.ts";
import type { ProcessStat } from "../proc/process-stat.ts";

/** Maximum number of descendants that one pass through the lists of children adds: a program may fork faster than they are read. */
const MAX_DESCENDANTS = 256;

/** A run that has just been started. */
export interface RunStart {
  runId: string;
  /** Pid of the leader, which leads its own session. */
  pid: number;
  startTime: string;
  /** Path of the terminal, `/dev/pts/N`; "" for none. */
  terminal: string;
  /** Tag (run-tag.ts); null or left out: none. */
  tag?: number | null;
}

const pidAndStart = z.tuple([z.int().min(1), z.string()]);
export const runTreeState = z.object({
  members: z.array(pidAndStart),
  sessions: z.array(z.tuple([z.int(), z.string().nullable()])),
  killing: z.boolean(),
});
type RunTreeState = z.infer<typeof runTreeState>;

/** The known processes of one run. Members are remembered by pid and start time. */
export class RunTree {
  readonly runId: string;
  readonly leader: { pid: number; startTime: string };
  /** Start time of the leader, clock ticks since boot: no member started earlier. */
  readonly since: number;
  readonly terminal: TerminalIdentity | null;
  /** Tag (run-tag.ts); null: none. */
  readonly tag: number | null;
  readonly members = new Map<number, string>();
  /** Whether the tree is being killed, with all members that are still found. */
  killing = false;
  /** Sessions that members began: session id → start time of its leader, null if the leader had ended when it was read. */
  readonly #sessions = new Map<number, string | null>();

  constructor(run: RunStart) {
    this.tag = run.tag ?? null;
    this.runId = run.runId;
    this.leader = { pid: run.pid, startTime: run.startTime };
    this.since = Number(run.startTime);
    this.terminal = terminalIdentity(run.terminal);
    this.members.set(run.pid, run.startTime);
    this.#sessions.set(run.pid, run.startTime);
  }

  /** Adds what the program before this one knew of the run. */
  take({ members, sessions, killing }: RunTreeState): void {
    for (const [pid, startTime] of members) this.members.set(pid, startTime);
    for (const [session, startTime] of sessions) this.#sessions.set(session, startTime);
    this.killing = killing;
  }

  handOver(): RunTreeState {
    return { members: [...this.members], sessions: [...this.#sessions], killing: this.killing };
  }

  get leaderAlive(): boolean {
    return isAlive(this.leader.pid, this.leader.startTime);
  }

  get sessions(): Iterable<number> {
    return this.#sessions.keys();
  }

  /** Whether the session is still the known one: an id that has another leader now was used again. */
  holdsSession(session: number, look: (pid: number) => ProcessStat | null): boolean {
    const leader = look(session);
    if (leader === null || leader.startTime === this.#sessions.get(session)) return this.#sessions.has(session);
    this.#sessions.delete(session);
    return false;
  }

  /** Adds descendants of the members, without a scan. Returns false if none was new. */
  addDescendants(): boolean {
    const before = this.members.size;
    // Added members are visited, too.
    for (const [pid, startTime] of this.members) {
      if (this.members.size - before >= MAX_DESCENDANTS) break;
      const member = readStat(pid);
      if (member?.startTime !== startTime) continue;
      for (const child of childrenOf(member)) {
        const stat = readStat(child);
        if (stat === null || stat.ended || this.members.get(child) === stat.startTime) continue;
        // It is still a child of that member: a pid may be used again.
        if (stat.ppid === pid && startTimeOf(pid) === startTime) this.add(stat, readStat);
      }
    }
    return this.members.size > before;
  }

  /** Remembers a process, and its session if a member of this tree began that. */
  add(stat: ProcessStat, look: (pid: number) => ProcessStat | null): void {
    this.members.set(stat.pid, stat.startTime);
    // Between fork and setsid a child is still in its parent's session: a session of a foreign leader is never adopted.
    if (stat.session > 1 && !this.#sessions.has(stat.session)) {
      const leader = look(stat.session);
      if (leader === null) this.#sessions.set(stat.session, null);
      else if (this.members.get(leader.pid) === leader.startTime) this.#sessions.set(stat.session, leader.startTime);
    }
  }
}

/** Identity of a terminal: numbers and paths repeat in every container, the inode of a file system does not. */
export interface TerminalIdentity {
  dev: number;
  ino: number;
}

function terminalIdentity(path: string): TerminalIdentity | null {
  const found = path === "" ? undefined : statSync(path, { throwIfNoEntry: false });
  return found ? { dev: found.dev, ino: found.ino } : null;
}

/**
 * Sends signals to exactly this process. Returns false if it is gone, or belongs to a user that this process may not signal. Never signals
 * init, this process or, as pids below 1 would mean, a group.
 */
export function signalProcess(pid: number, startTime: string, ...signals: string[]): boolean {
  if (pid <= 1 || pid === process.pid) throw new MgrError("internal", `refused to send ${signals.join(", ")} to pid ${pid}`);
  return readStat(pid)?.startTime === startTime && sendSignals(pid, signals);
}

/** Sends signals to a pid that no other process can have. */
export function sendSignals(pid: number, signals: readonly string[]): boolean {
  try {
    for (const signal of signals) process.kill(pid, realTimeNumber(signal) ?? signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}
