import { readdirSync } from "node:fs";
import { cpusOf } from "../../../base/cpu-mask.ts";
import { readAffinity } from "../../../daemon/native/process-calls.ts";
import { isAbsent, readProcFile, readStat } from "../../../daemon/proc/proc.ts";
import type { HostThread } from "../contract.ts";

/** How the threads of a process are scheduled, and how long they waited for a CPU; null: it has ended. Of many, the oldest `max`. */
export function readThreads(pid: number, max: number): HostThread[] | null {
  try {
    const tids = readdirSync(`/proc/${pid}/task`).map(Number);
    return tids.slice(0, max).flatMap((tid) => readThread(pid, tid) ?? []);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function readThread(pid: number, tid: number): HostThread | null {
  const stat = readStat(pid, tid);
  const mask = readAffinity(tid);
  if (stat === null || mask === null) return null;
  const text = (file: string) => readProcFile(`/proc/${pid}/task/${tid}/${file}`)?.toString("latin1") ?? "";
  // Documentation/scheduler/sched-stats.rst; kernels without it have no such file.
  const [run_ns = 0, wait_ns = 0, turns = 0] = text("schedstat").split(" ", 3).filter(Boolean).map(Number);
  const status = text("status");
  const switches = (kind: string) => Number(new RegExp(`^${kind}_ctxt_switches:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0);
  const { comm: name, policy, prio, nice } = stat;
  const scheduling = { policy, prio, nice, affinity: cpusOf(mask) };
  return { tid, name, ...scheduling, run_ns, wait_ns, turns, voluntary: switches("voluntary"), involuntary: switches("nonvoluntary") };
}
