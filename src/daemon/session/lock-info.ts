import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { z } from "zod";
import { bootId, isAlive } from "../tree/proc.ts";

/** A larger file is not a lock file, bytes. */
const MAX_BYTES = 65_536;

const lockInfo = z.object({
  pid: z.number().int().min(1),
  /** Clock ticks since boot (`/proc/PID/stat` field 22): with the pid it names the process. */
  start_time: z.string(),
  boot_id: z.string(),
  instance_uuid: z.string(),
  /** Version of the contract that the holder speaks. */
  contract: z.number().int(),
  /** Path of the holder's unix socket. */
  socket: z.string(),
  /** Of the lock file: as it was configured, and without symbolic links. Left out by earlier versions. */
  paths: z.array(z.string()).default([]),
});
/** What the holder of a lock writes about itself into the lock file. */
export type LockInfo = z.infer<typeof lockInfo>;

/** null: missing, incomplete, or written by another program. */
export function readLockInfo(path: string): LockInfo | null {
  try {
    // Non-blocking: opening a named pipe would wait for ever.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || found.size > MAX_BYTES) return null;
      return lockInfo.parse(JSON.parse(readFileSync(fd, "utf8")));
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
