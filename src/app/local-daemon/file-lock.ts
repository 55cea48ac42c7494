import { closeSync, constants, openSync } from "node:fs";
import { tryLockExclusive } from "../../daemon/native/libc.ts";

/** Takes the lock on `path`, which is made if need be and stays, or null while somebody has it. The kernel frees it when its holder dies. */
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
