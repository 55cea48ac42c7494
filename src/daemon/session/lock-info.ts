import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { hasShape, isObject, isText, isWhole, type Shape } from "../../base/shape.ts";
import { bootId, isAlive } from "../tree/proc.ts";

/** A larger file is not a lock file, bytes. */
const MAX_BYTES = 65_536;

/** What the holder of a lock writes about itself into the lock file. */
export interface LockInfo {
  pid: number;
  /** Clock ticks since boot (`/proc/PID/stat` field 22): with the pid it names the process. */
  start_time: string;
  boot_id: string;
  instance_uuid: string;
  /** Version of the contract that the holder speaks. */
  contract: number;
  /** Path of the holder's unix socket. */
  socket: string;
  /** Of the lock file: as it was configured, and without symbolic links. Earlier versions leave it out, which is read as an empty list. */
  paths: string[];
}

const LOCK_INFO: Shape<LockInfo> = {
  pid: (value): value is number => isWhole(value) && value >= 1,
  start_time: isText,
  boot_id: isText,
  instance_uuid: isText,
  contract: isWhole,
  socket: isText,
  paths: (value): value is string[] => Array.isArray(value) && value.every(isText),
};

/** null: missing, incomplete, or written by another program. */
export function readLockInfo(path: string): LockInfo | null {
  try {
    // Non-blocking: opening a named pipe would wait for ever.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || found.size > MAX_BYTES) return null;
      const written: unknown = JSON.parse(readFileSync(fd, "utf8"));
      const info = isObject(written) ? { paths: [], ...written } : null;
      return hasShape(info, LOCK_INFO) ? info : null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** Whether the process that `info` names is alive; if not, the file is an old one. */
export function isHolder(info: LockInfo): boolean {
  return info.boot_id === bootId() && isAlive(info.pid, info.start_time);
}
