import { statSync } from "node:fs";
import { listNames, readProcFile } from "../../../daemon/proc/proc.ts";
import type { ProcessStat } from "../../../daemon/proc/process-stat.ts";

/** Context switches are counted for each thread: those of a process with more threads are not read. */
const MAX_THREADS_READ = 32;

/** Counters of a process that are not in its `stat`. Null: it may not be read (another user's). */
export interface ProcessFigures {
  /** Bytes from and to disks, with the children that it has waited for. */
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
  readonly contextSwitches: number | null;
  readonly descriptors: number | null;
}

export function readFigures(stat: ProcessStat): ProcessFigures {
  const folder = `/proc/${stat.pid}`;
  const io = readProcFile(`${folder}/io`)?.toString("latin1");
  const bytes = (field: RegExp) => (io === undefined ? null : Number(field.exec(io)?.[1] ?? Number.NaN));
  return {
    readBytes: known(bytes(/^read_bytes: (\d+)/m)),
    writtenBytes: known(bytes(/^write_bytes: (\d+)/m)),
    contextSwitches: contextSwitches(folder, stat.threads),
    descriptors: descriptors(`${folder}/fd`),
  };
}

/** Switches of all threads that live. */
function contextSwitches(folder: string, threads: number): number | null {
  if (threads <= 1) return switchesIn(`${folder}/status`);
  if (threads > MAX_THREADS_READ) return null;
  let sum: number | null = null;
  for (const tid of listNames(`${folder}/task`)) {
    const switches = switchesIn(`${folder}/task/${tid}/status`);
    if (switches !== null) sum = (sum ?? 0) + switches;
  }
  return sum;
}

const VOLUNTARY = "\nvoluntary_ctxt_switches:";

/** The two counters at the end of a status file. */
function switchesIn(path: string): number | null {
  const status = readProcFile(path);
  const at = status?.indexOf(VOLUNTARY) ?? -1;
  if (status === null || at < 0) return null;
  const [, voluntary, involuntary] = /:\s*(\d+)\D+(\d+)/.exec(status.toString("latin1", at)) ?? [];
  return known(Number(voluntary) + Number(involuntary));
}

/** Since Linux 6.2 the size of the folder is the number of descriptors. */
function descriptors(folder: string): number | null {
  try {
    const { size } = statSync(folder);
    if (size > 0) return size;
  } catch {
    return null; // The process has ended.
  }
  // None can be read of a process of another user.
  return listNames(folder).length || null;
}

const known = (value: number | null): number | null => (value === null || Number.isNaN(value) ? null : value);
