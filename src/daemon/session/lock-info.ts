import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { hasShape, isText, isWhole, type Shape } from "../../base/shape.ts";
import { isTrusted } from "../../files/owners.ts";
import { openStateFile, type StateFileOptions } from "../../files/state-file.ts";
import { bootId, isAlive } from "../proc/proc.ts";

/** Maximum size of a lock file, bytes. */
const MAX_BYTES = 65_536;

/** Identity that the holder of a lock writes into the lock file. */
export interface LockInfo {
  pid: number;
  /** Clock ticks since boot (`/proc/PID/stat` field 22): with the pid it identifies the process. */
  start_time: string;
  boot_id: string;
  instance_uuid: string;
  /** Version of the contract that the holder speaks. */
  contract: number;
  /** Path of the holder's unix socket. */
  socket: string;
  /** Paths of the lock file: as it was configured, and without symbolic links. */
  paths: string[];
}

export const LOCK_INFO: Shape<LockInfo> = {
  pid: (value): value is number => isWhole(value) && value >= 1,
  start_time: isText,
  boot_id: isText,
  instance_uuid: isText,
  contract: isWhole,
  socket: isText,
  paths: (value): value is string[] => Array.isArray(value) && value.every(isText),
};

/** Reads a lock file; null: it is missing, incomplete, or written by another program or user. */
export function readLockInfo(path: string, options: StateFileOptions = {}): LockInfo | null {
  return infoIn(() => openStateFile(path, constants.O_RDONLY, options));
}

/** Reads a lock file that a process has open (`/proc/PID/fd/N`), even if it was removed. */
export function readOpenLockInfo(link: string): LockInfo | null {
  return infoIn(() => {
    // Non-blocking: opening a named pipe would wait for ever.
    const fd = openSync(link, constants.O_RDONLY | constants.O_NONBLOCK);
    if (isTrusted(fstatSync(fd))) return fd;
    closeSync(fd);
    return null;
  });
}

function infoIn(open: () => number | null): LockInfo | null {
  try {
    const fd = open();
    if (fd === null) return null;
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || found.size > MAX_BYTES) return null;
      const info: unknown = JSON.parse(readFileSync(fd, "utf8"));
      return hasShape(info, LOCK_INFO) && mayBeHeldBy(info.pid, found.uid) ? info : null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** Whether a file's owner may name this holder: a file of another user, which only root reads, must not name a process of a third one. */
function mayBeHeldBy(pid: number, owner: number): boolean {
  if (owner === process.geteuid?.()) return true;
  const holder = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  return holder === undefined || holder.uid === owner;
}

/** Whether the process that `info` names is alive; if not, the file is stale. */
export function isHolder(info: LockInfo): boolean {
  return info.boot_id === bootId() && isAlive(info.pid, info.start_time);
}
