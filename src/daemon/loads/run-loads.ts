import type { Steps } from "../../base/timing/turns.ts";
import { listPids, PAGE_BYTES, readStat, TICKS_PER_SECOND, ticksSinceBoot } from "../proc/proc.ts";
import type { ProcessStat } from "../proc/process-stat.ts";
import type { TaskOwners } from "../tree/task-owners.ts";

/** Resource use of a managed process's tree. */
export interface RunLoad {
  /** CPU time so far, clock ticks, without that of orphans that have ended. */
  ticks: number;
  rssBytes: number;
  processes: number;
  /** Age of the oldest process, clock ticks. */
  age: number;
}

/** Adds up the trees of all managed processes by name, one process a step: one read of /proc for each process of the host. */
export function* sumLoads(owners: TaskOwners, loads: Map<string, RunLoad>): Steps {
  const read: ProcessStat[] = [];
  for (const pid of listPids()) {
    const stat = readStat(pid);
    if (stat !== null && !stat.ended) {
      owners.know(stat);
      read.push(stat);
    }
    yield;
  }
  const now = ticksSinceBoot();
  for (const stat of read) {
    const name = owners.of(stat.pid);
    if (name !== null) add(loads, name, stat, now);
    yield;
  }
}

function add(loads: Map<string, RunLoad>, name: string, { ticks, childTicks, rssPages, startTime }: ProcessStat, now: number): void {
  const load = loads.get(name) ?? { ticks: 0, rssBytes: 0, processes: 0, age: 0 };
  load.ticks += ticks + childTicks;
  load.rssBytes += rssPages * PAGE_BYTES;
  load.processes++;
  load.age = Math.max(load.age, now - Number(startTime));
  loads.set(name, load);
}

/** Clock ticks as milliseconds. */
export const ticksToMs = (ticks: number): number => Math.round((1_000 * ticks) / TICKS_PER_SECOND);
