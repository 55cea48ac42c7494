import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import { CONTROL_SOCKET } from "../../app/local-daemon/running-instance.ts";
import { MgrError } from "../../base/errors.ts";
import { environmentValue, listPids } from "../../daemon/proc/proc.ts";
import { RUN_MARKER } from "../../daemon/process/environment.ts";
import { holdsLock } from "../../daemon/session/lock-holder.ts";
import { isHolder, type LockInfo, readLockInfo } from "../../daemon/session/lock-info.ts";

/** Path of the socket at which the manager with this state folder accepts commands of this machine; null: none runs, or it is still starting. */
export async function localSocketOf(stateDir: string): Promise<string | null> {
  const info = await holderOf(join(stateDir, "manager.lock"));
  if (info === null) return null;
  const path = join(dirname(info.socket), CONTROL_SOCKET);
  return existsSync(path) ? path : null;
}

/** Number of runs that a daemon without manager still has, as far as this user may see them. */
export async function countRuns(stateDir: string): Promise<number> {
  const { StaleRunCleanup } = await import("../../daemon/tree/stale-run-cleanup.ts");
  const daemon = await holderOf(join(stateDir, "daemon.lock"));
  const life = new StaleRunCleanup(join(stateDir, "daemon.json")).read({ rootReadsAll: true });
  if (daemon === null || life === null) return 0;
  return new Set(listPids().flatMap((pid) => environmentValue(pid, RUN_MARKER, `${life.stream_id}:`) ?? [])).size;
}

/** Returns the holder of a lock; null: it is free. Usually it is the process that the file names, which is found without koffi. */
async function holderOf(path: string): Promise<LockInfo | null> {
  const named = readLockInfo(path, { rootReadsAll: true });
  if (named !== null && isHolder(named) && holdsLock(named.pid, path)) return named;
  const { readLock } = await import("../../daemon/session/lock.ts");
  const { held, info } = await readLock(path, { rootReadsAll: true });
  return held ? info : null;
}

/** Returns a function that connects to the manager of this machine. Another user's program cannot take the manager's place. */
export async function dialerOf(path: string): Promise<() => Socket> {
  const folder = openPrivate(dirname(path));
  if (folder !== null) {
    closeSync(folder);
    return () => dialPrivate(path);
  }
  const { dialKernelChecked } = await import("./kernel-checked-dial.ts");
  return () => dialKernelChecked(path);
}

/** Returns a function that connects to a manager's socket for operators, whose path names the user of the manager. */
export async function operatorDialerOf(path: string): Promise<() => Socket> {
  const [{ dialKernelChecked }, { ownerInPath }] = await Promise.all([
    import("./kernel-checked-dial.ts"),
    import("../../daemon/session/operator-folder.ts"),
  ]);
  return () => dialKernelChecked(path, ownerInPath(path));
}

/** Connects to a socket in a folder that is this user's alone: only this user's programs, or root's, can listen there. */
function dialPrivate(path: string): Socket {
  const folder = openPrivate(dirname(path));
  if (folder === null) throw new MgrError("forbidden", `${dirname(path)} was replaced or opened to others; run the command again`);
  try {
    // Uses the descriptor, so that the checked folder is the one that is used. The connection is made or refused before this returns.
    return connect(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}

/** Returns a descriptor of the folder; null: it does not exist, or is not this user's alone. */
function openPrivate(folder: string): number | null {
  let fd: number;
  try {
    fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  const { uid, mode } = fstatSync(fd);
  if (uid === process.geteuid?.() && (mode & 0o077) === 0) return fd;
  closeSync(fd);
  return null;
}
