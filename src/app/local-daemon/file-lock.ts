import { closeSync, constants, openSync } from "node:fs";
import { tryLockExclusive } from "../../daemon/native/libc.ts";

/**
 * Locks `path` (created if missing, never removed); null while another process holds the lock. The kernel releases it when its holder dies.
 */
export function tryLockFile(path: string): { release(): void } | null {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  let isTaken = false;
  try {
    isTaken = tryLockExclusive(fd);
  } finally {
    if (!isTaken) closeSync(fd);
  }
  return isTaken ? { release: () => closeSync(fd) } : null;
}
