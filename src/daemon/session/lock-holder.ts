import { readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { listNames, listPids, readProcFile } from "../proc/proc.ts";
import { isHolder, type LockInfo, readOpenLockInfo } from "./lock-info.ts";

/**
 * The living process of this user that holds the lock `path`, also when that file was removed, renamed or replaced while it
 * was held: the kernel shows the holder's open file and its content (`/proc/PID/fd`). `except`: a descriptor
 * of this process that does not count. null: none is found.
 */
export function findHolder(path: string, except: number | null = null): LockInfo | null {
  return findHolders([path], except)[0] ?? null;
}

/** As `findHolder`, for several locks, in their order: listing all locks takes the kernel 30 ms and more. */
export function findHolders(paths: readonly string[], except: number | null = null): (LockInfo | null)[] {
  const searched = paths.map((path) => ({ path, names: namesOf(path) }));
  const found: (LockInfo | null)[] = paths.map(() => null);
  for (const pid of lockingPids()) {
    if (!isOwn(pid)) continue;
    for (const fd of listNames(`/proc/${pid}/fd`)) {
      if (pid === process.pid && Number(fd) === except) continue;
      const link = `/proc/${pid}/fd/${fd}`;
      const name = nameOf(link);
      const at = searched.findIndex(({ path }) => basename(path) === name);
      const lock = searched[at];
      if (lock === undefined || found[at] !== null) continue;
      const info = readOpenLockInfo(link);
      if (info?.pid !== pid || !isHolder(info) || !info.paths.some((each) => lock.names.includes(each))) continue;
      if (seesSameFolder(pid, lock.names.at(-1) ?? lock.path)) found[at] = info;
    }
  }
  return found;
}

/**
 * Whether the process holds the lock on the file at `path` now, as the kernel shows it with the process's open files (`/proc/PID/fdinfo`). False
 * also where these cannot be read. Needs neither koffi, which a short command would load for this alone, nor the list of all locks.
 */
export function holdsLock(pid: number, path: string): boolean {
  const ours = statOrNull(path);
  return listNames(`/proc/${pid}/fd`).some((fd) => {
    const link = `/proc/${pid}/fd/${fd}`;
    if (nameOf(link) !== basename(path)) return false;
    const theirs = statOrNull(link);
    if (ours === null || theirs?.ino !== ours.ino || theirs.dev !== ours.dev) return false;
    const about = readProcFile(`/proc/${pid}/fdinfo/${fd}`)?.toString("latin1") ?? "";
    return /^lock:.* FLOCK +\S+ +WRITE /m.test(about);
  });
}

/** A lock file's absolute path: as given, and without symbolic links. */
export function namesOf(path: string): string[] {
  const written = resolve(path);
  return [...new Set([written, withoutLinks(written)])];
}

/** Resolves symbolic links; the last folders of the path may be missing. */
function withoutLinks(path: string): string {
  const folder = dirname(path);
  try {
    return join(realpathSync(folder), basename(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder === path) throw error;
    return join(withoutLinks(folder), basename(path));
  }
}

/** Processes that hold a lock on any file; all processes if the kernel does not list locks. */
function lockingPids(): number[] {
  const locks = readProcFile("/proc/locks")?.toString("latin1");
  if (locks === undefined) return listPids();
  const pids = [...locks.matchAll(/^\d+: +(?:-> +)?\S+ +\S+ +\S+ +(\d+) /gm)].map(([, pid]) => Number(pid));
  return [...new Set(pids)].filter((pid) => pid > 0);
}

/** Whether the process runs as the same user: claims of other users' processes are ignored. */
export function isOwn(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function nameOf(link: string): string | null {
  try {
    return basename(readlinkSync(link).replace(/ \(deleted\)$/, ""));
  } catch {
    return null; // Closed meanwhile.
  }
}

/** Whether a process sees the same folder at `path`: in another mount namespace, such as a container, it may be another one. */
export function seesSameFolder(pid: number, path: string): boolean {
  const folder = dirname(path);
  const ours = statSync(folder, { throwIfNoEntry: false });
  const theirs = statOrNull(`/proc/${pid}/root${folder}`);
  if (ours === undefined && theirs === null && folder !== path) return seesSameFolder(pid, folder);
  return ours !== undefined && theirs !== null && ours.dev === theirs.dev && ours.ino === theirs.ino;
}

function statOrNull(path: string) {
  try {
    return statSync(path);
  } catch {
    return null; // Not there, or the process has ended.
  }
}
