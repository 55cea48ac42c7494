import { readStat } from "../proc/proc.ts";
import type { ProcessStat } from "../proc/process-stat.ts";
import type { RunOwners } from "./tree-reaper.ts";

/** Determines which managed process the processes of one list belong to: by their own marks, else by their parents. */
export class TaskOwners {
  readonly #runOf: RunOwners;
  readonly #nameOfRun: (runId: string) => string | null;
  readonly #stats = new Map<number, ProcessStat>();
  readonly #names = new Map<number, string | null>();

  constructor(runOf: RunOwners, nameOfRun: (runId: string) => string | null) {
    this.#runOf = runOf;
    this.#nameOfRun = nameOfRun;
  }

  /** Records a process that was just read, so that it need not be read again. */
  know(stat: ProcessStat): void {
    this.#stats.set(stat.pid, stat);
  }

  of(pid: number): string | null {
    const line: number[] = [];
    let name: string | null = null;
    for (let at: ProcessStat | null = this.#readStat(pid); at !== null; at = this.#parentOf(at)) {
      const known = this.#names.get(at.pid);
      const runId = known === undefined ? this.#runOf(at) : null;
      line.push(at.pid);
      name = known ?? (runId === null ? null : this.#nameOfRun(runId));
      // If a process is known to belong to no managed process, its ancestors do not, either.
      if (known !== undefined || name !== null) break;
    }
    for (const each of line) this.#names.set(each, name);
    return name;
  }

  /** Returns null at the daemon and at init: processes above them belong to no managed process. */
  #parentOf({ ppid, startTime }: ProcessStat): ProcessStat | null {
    if (ppid <= 2 || ppid === process.pid) return null;
    const parent = this.#readStat(ppid);
    return parent !== null && Number(parent.startTime) <= Number(startTime) ? parent : null;
  }

  #readStat(pid: number): ProcessStat | null {
    return this.#stats.get(pid) ?? (pid > 0 ? readStat(pid) : null);
  }
}
