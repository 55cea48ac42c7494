import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { uptime } from "node:os";
import { isShortage } from "../../base/errors.ts";
import { type ProcessStat, parseStat } from "./process-stat.ts";

/** Clock ticks a second as the kernel reports them to programs; the same on every Linux platform. */
export const TICKS_PER_SECOND = 100;

/** Size of a page of memory, bytes: AT_PAGESZ of the auxiliary vector, pairs of 64-bit words. */
export const PAGE_BYTES = pageBytes();

function pageBytes(): number {
  const vector = readFileSync("/proc/self/auxv");
  for (let at = 0; at + 16 <= vector.length; at += 16) if (vector.readBigUInt64LE(at) === 6n) return Number(vector.readBigUInt64LE(at + 8));
  return 4_096;
}

// Reused for every read: 340 processes take 3 ms this way and 150 ms through fs.promises
// (docs/design/library-defects.md, "Processes and /proc"). Nothing here awaits.
let buffer = Buffer.allocUnsafe(64 * 1024);
/** Maximum size of a file that is read whole, bytes: environments are far smaller, and memory use must be bounded. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Reads a file of /proc into the shared buffer. Returns its length, or -1 if the process is gone or not accessible. Most files are complete
 * after one read. `isList`: the kernel delivers this one a page at a time, so only an empty read is its end.
 */
function readInto(path: string, isList = false): number {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    return absent(error);
  }
  try {
    let length = 0;
    for (;;) {
      const read = readSync(fd, buffer, length, buffer.length - length, null);
      length += read;
      if (read === 0 || (length < buffer.length && !isList) || length >= MAX_FILE_BYTES) return length;
      if (length < buffer.length) continue;
      buffer = Buffer.concat([buffer], buffer.length * 2);
    }
  } catch (error) {
    return absent(error);
  } finally {
    closeSync(fd);
  }
}

/** A file of /proc, in a buffer that the next read overwrites; null if the process is gone or not accessible. */
export function readProcFile(path: string): Buffer | null {
  const length = readInto(path);
  return length === -1 ? null : buffer.subarray(0, length);
}

/** Returns -1 if the process has ended or belongs to another user. Other errors (EMFILE) must not count as "no such process". */
function absent(error: unknown): -1 {
  if (isAbsent(error)) return -1;
  throw error;
}

const ABSENT = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);
/** Whether a file of /proc cannot be read because its process has ended or belongs to another user. */
export const isAbsent = (error: unknown): boolean => ABSENT.has((error as NodeJS.ErrnoException).code ?? "");

/** Reads the state of a process, or with `tid` of one of its threads; null: there is none. */
export function readStat(pid: number, tid?: number | string): ProcessStat | null {
  const line = readProcFile(tid === undefined ? `/proc/${pid}/stat` : `/proc/${pid}/task/${tid}/stat`);
  return line === null ? null : parseStat(line);
}

/** Pids of all processes of this pid namespace. */
export function listPids(): number[] {
  const pids: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (pid > 0) pids.push(pid);
  }
  return pids;
}

/** Maximum number of listings within one scan: on a machine that forks continuously, it would never end. */
const MAX_LISTINGS = 8;

export interface Scan {
  /** Processes that started at `since` or later, by pid. */
  processes: Map<number, ProcessStat>;
  /** Whether every process that is alive now has been seen. */
  isComplete: boolean;
}

/**
 * A scan of every process that started at `since` or later (clock ticks from boot).
 *
 * /proc is listed in the order of pids, so one listing shows every process that lives from its start to its end. It misses a
 * process with a lower pid forked meanwhile by a process that ends before its turn comes. So /proc is listed again, for new
 * processes, until the kernel has assigned no pid from before a listing to after the last process was examined: none was born
 * meanwhile, so none was missed. A process that just got its pid may not be listed yet; its parent, still forking it, is.
 */
export function scanProcesses(since = 0): Scan {
  const processes = new Map<number, ProcessStat>();
  const seen = new Set<number>();
  for (let listing = 0; listing < MAX_LISTINGS; listing++) {
    const before = newestPid();
    for (const pid of listPids()) {
      if (seen.has(pid)) continue;
      seen.add(pid);
      const stat = readStat(pid);
      if (stat && Number(stat.startTime) >= since) processes.set(pid, stat);
    }
    if (newestPid() === before) return { processes, isComplete: true };
  }
  return { processes, isComplete: false };
}

/** The pid that the kernel has assigned last; "" where it is not available (CONFIG_CHECKPOINT_RESTORE). */
export function newestPid(): string {
  return readProcFile("/proc/sys/kernel/ns_last_pid")?.toString("latin1") ?? "";
}

/**
 * The value of `variable` that begins with `prefix` in the environment a process was started with, without the prefix.
 * null: it has none. undefined: the environment cannot be read now (another user's, just in execve, a zombie's).
 */
export function environmentValue(pid: number, variable: string, prefix: string): string | null | undefined {
  let length = readInto(`/proc/${pid}/environ`);
  if (length <= 0) length = readFromThreads(pid);
  if (length <= 0) return undefined;
  const searched = `${variable}=${prefix}`;
  for (let at = buffer.indexOf(searched); at !== -1 && at < length; at = buffer.indexOf(searched, at + 1)) {
    if (at > 0 && buffer[at - 1] !== 0) continue;
    const end = buffer.indexOf(0, at);
    return buffer.toString("utf8", at + searched.length, end === -1 || end > length ? length : end);
  }
  return null;
}

/** The soft limit on file locks; null: unlimited, or no such process. */
export function fileLocksLimit(pid: number): number | null {
  const length = readInto(`/proc/${pid}/limits`);
  if (length <= 0) return null;
  const found = /^Max file locks +(\d+) /m.exec(buffer.toString("latin1", 0, length));
  return found ? Number(found[1]) : null;
}

/** Reads the environment of a process whose main thread has ended: only its other threads show it. */
function readFromThreads(pid: number): number {
  for (const tid of listNames(`/proc/${pid}/task`)) {
    if (tid === String(pid)) continue;
    const length = readInto(`/proc/${pid}/task/${tid}/environ`);
    if (length > 0) return length;
  }
  return -1;
}

/**
 * Children of this process, from all of its threads, as the kernel writes them; null where it has no such list (CONFIG_PROC_CHILDREN). It
 * is complete: the kernel appends to these lists, and removes only children reaped by this thread, which is busy reading.
 */
export function ownChildrenText(): string | null {
  let text = "";
  for (const tid of listNames("/proc/self/task")) {
    const length = readInto(`/proc/self/task/${tid}/children`, true);
    if (length < 0 && tid === String(process.pid)) return null;
    if (length > 0) text += buffer.toString("latin1", 0, length);
  }
  return text;
}

/** Children of another process, from all of its threads. Not complete: the kernel skips some while others end. None where it has no such lists. */
export function childrenOf({ pid, threads }: ProcessStat): number[] {
  const folder = `/proc/${pid}/task`;
  const tids = threads > 1 ? listNames(folder) : [String(pid)];
  return tids.flatMap((tid) => {
    const length = readInto(`${folder}/${tid}/children`, true);
    return length > 0 ? pidsOf(buffer.toString("latin1", 0, length)) : [];
  });
}

/** Pids in a text of the kernel's lists of children. */
export function pidsOf(children: string): number[] {
  return children
    .split(" ")
    .filter((pid) => pid !== "")
    .map(Number);
}

/** Names in a folder of a process, none if it has ended or belongs to another user. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    absent(error);
    return [];
  }
}

/** Start time of a process; null: there is none. */
export function startTimeOf(pid: number): string | null {
  return readStat(pid)?.startTime ?? null;
}

/** Whether exactly this process is still alive; a zombie is not. */
export function isAlive(pid: number, startTime: string): boolean {
  const stat = readStat(pid);
  return stat !== null && stat.startTime === startTime && !stat.ended;
}

/** As `isAlive`, for a caller that acts on the end: if the check fails (no descriptors or memory), the process counts as alive. */
export function mayBeAlive(pid: number, startTime: string): boolean {
  try {
    return isAlive(pid, startTime);
  } catch (error) {
    if (isShortage(error)) return true;
    throw error;
  }
}

/** Identifies this boot of the machine. */
export function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Current time, in the unit of `ProcessStat.startTime`. */
export function ticksSinceBoot(): number {
  return Math.floor(secondsSinceBoot() * TICKS_PER_SECOND);
}

function secondsSinceBoot(): number {
  try {
    return Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  } catch (error) {
    if (!isShortage(error)) throw error;
    // uptime() needs no descriptor, but may return whole seconds: rounded up.
    return Math.floor(uptime()) + 1;
  }
}
