import { dirname, join } from "node:path";
import { readProcFile } from "../../../daemon/proc/proc.ts";
import { ownCgroup } from "../../../daemon/tree/cgroups.ts";

/** Counters of the kernel for the cgroup of a run. Null: the kernel does not count it, or not in this cgroup. */
export interface CgroupFigures {
  /** CPU time so far of everything that was ever in it, milliseconds. */
  readonly cpuMs: number | null;
  readonly memory: number | null;
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
  /** Processes that are in it now. */
  readonly processes: number;
}

/** Leaders that are looked at before a host counts as one whose runs have no cgroups. */
const MAX_MISSES = 20;

/** Finds the cgroups that runs have for themselves: all are in one folder. */
export class RunCgroupFolders {
  #base: string | null = null;
  #misses = 0;

  /** Null: it has none. `leader`: pid of its first process. */
  of(runId: string, leader: number): string | null {
    if (this.#base !== null) return join(this.#base, runId);
    if (this.#misses >= MAX_MISSES) return null;
    const folder = cgroupFolder(leader);
    if (folder?.endsWith(`/${runId}`)) this.#base = dirname(folder);
    else this.#misses++;
    return this.#base === null ? null : folder;
  }
}

function cgroupFolder(pid: number): string | null {
  try {
    return ownCgroup(`/proc/${pid}`);
  } catch {
    return null; // The process has ended.
  }
}

/** Null: the cgroup is gone. */
export function readCgroup(folder: string): CgroupFigures | null {
  const processes = read(folder, "cgroup.procs");
  if (processes === null) return null;
  const io = read(folder, "io.stat");
  const usage = /^usage_usec (\d+)/m.exec(read(folder, "cpu.stat") ?? "")?.[1];
  const memory = read(folder, "memory.current");
  return {
    cpuMs: usage === undefined ? null : Number(usage) / 1_000,
    memory: memory === null ? null : Number(memory),
    readBytes: io === null ? null : sumOf(io, /\brbytes=(\d+)/g),
    writtenBytes: io === null ? null : sumOf(io, /\bwbytes=(\d+)/g),
    processes: processes.split("\n").length - 1,
  };
}

const read = (folder: string, file: string): string | null => readProcFile(join(folder, file))?.toString("latin1") ?? null;

/** Sums the bytes of all devices. */
const sumOf = (text: string, field: RegExp): number => [...text.matchAll(field)].reduce((sum, [, value]) => sum + Number(value), 0);
