import type { Steps } from "../../../base/timing/turns.ts";
import { listNames, listPids, readProcFile, readStat } from "../../../daemon/proc/proc.ts";
import type { ProcessStat } from "../../../daemon/proc/process-stat.ts";
import { affinityText } from "./affinity.ts";

/** Facts that are the same for all threads of a process. */
export interface ProcessFacts {
  pid: number;
  /** Effective user. */
  uid: number;
  /** Resident memory, bytes; 0 for threads of the kernel and zombies. */
  rss: number;
  /** Arguments joined by blanks; `[name]` if there are none, as in ps(1). */
  command: string;
}

export interface Task {
  stat: ProcessStat;
  process: ProcessFacts;
  /** CPU numbers, separated by commas. */
  affinity: string;
  /** When `stat` was read, milliseconds of `performance.now()`. */
  readAt: number;
}

export interface TaskSelection {
  threads: boolean;
  /** Processes to scan; null: all. */
  pids: readonly number[] | null;
}

/** Maximum size of a command line or environment, bytes: both of a task fit into one message, however much of them JSON escapes. */
const MAX_TEXT_BYTES = 32 * 1024;

/** Reads all tasks, one a step; tasks that end meanwhile are left out. */
export function* scanTasks({ threads, pids }: TaskSelection, found: (task: Task) => void): Steps {
  for (const pid of pids ?? listPids()) {
    yield;
    const own = threads ? null : readStat(pid);
    if (!threads && own === null) continue;
    const process = readFacts(pid, own);
    if (process === null) continue;
    if (own !== null) report(own, process, found);
    if (!threads) continue;
    for (const tid of listNames(`/proc/${pid}/task`)) {
      const stat = readStat(pid, tid);
      if (stat !== null) report(stat, process, found);
      yield;
    }
  }
}

function report(stat: ProcessStat, process: ProcessFacts, found: (task: Task) => void): void {
  const readAt = performance.now();
  const affinity = affinityText(stat.pid);
  if (affinity !== null) found({ stat, process, affinity, readAt });
}

/** Reads only the CPU times: a third of the work of `scanTasks`. */
export function* scanTicks({ threads, pids }: TaskSelection, found: (stat: ProcessStat, readAt: number) => void): Steps {
  for (const pid of pids ?? listPids()) {
    for (const tid of threads ? listNames(`/proc/${pid}/task`) : [undefined]) {
      const stat = readStat(pid, tid);
      if (stat !== null) found(stat, performance.now());
      yield;
    }
  }
}

/** The process that a thread belongs to; null: there is no such thread. */
export function processOfThread(tid: number): number | null {
  const found = /^Tgid:\s*(\d+)$/m.exec(readProcFile(`/proc/${tid}/status`)?.toString("latin1") ?? "");
  return found ? Number(found[1]) : null;
}

/** The environment of a process with NUL between the variables, as in the kernel; null if it is empty or cannot be read. */
export function environmentText(pid: number): string | null {
  const bytes = readProcFile(`/proc/${pid}/environ`);
  return bytes === null || bytes.length === 0 ? null : textOf(bytes, "\0");
}

function readFacts(pid: number, own: ProcessStat | null): ProcessFacts | null {
  const status = readProcFile(`/proc/${pid}/status`)?.toString("latin1");
  if (status === undefined) return null;
  const uid = Number(/^Uid:\s*\d+\s+(\d+)/m.exec(status)?.[1]);
  const rss = Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  return Number.isNaN(uid) ? null : { pid, uid, rss, command: commandOf(pid, own) };
}

function commandOf(pid: number, known: ProcessStat | null): string {
  const line = readProcFile(`/proc/${pid}/cmdline`);
  const text = line === null ? "" : textOf(line, " ");
  if (text !== "") return text;
  const stat = known ?? readStat(pid);
  return stat === null ? "" : `[${stat.comm}]${stat.state === "Z" ? " <defunct>" : ""}`;
}

/** Text of NUL-terminated pieces. Programs that write over their arguments may leave any number of NULs at the end. */
function textOf(bytes: Buffer, separator: string): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const isLong = end > MAX_TEXT_BYTES;
  const text = bytes.toString("utf8", 0, isLong ? MAX_TEXT_BYTES : end);
  return `${separator === "\0" ? text : text.replaceAll("\0", separator)}${isLong ? " …" : ""}`;
}
