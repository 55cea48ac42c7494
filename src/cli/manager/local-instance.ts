import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { CONTROL_SOCKET } from "../../app/local-daemon/running-instance.ts";
import { MgrError } from "../../base/errors.ts";
import { isTrustedPeer, peerUid } from "../../daemon/native/peer-credentials.ts";
import { RUN_MARKER } from "../../daemon/process/environment.ts";
import { readLock } from "../../daemon/session/lock.ts";
import { environmentValue, listPids } from "../../daemon/tree/proc.ts";
import { StaleRunCleanup } from "../../daemon/tree/stale-run-cleanup.ts";

/** Where the manager that runs with this state folder takes commands of this machine; null: none runs, or it is still starting. */
export async function localSocketOf(stateDir: string): Promise<string | null> {
  const { held, info } = await readLock(join(stateDir, "manager.lock"));
  if (!held || info === null) return null;
  const path = join(dirname(info.socket), CONTROL_SOCKET);
  return existsSync(path) ? path : null;
}

/** How many processes a daemon without manager still runs, as far as this user may see them. */
export async function countRuns(stateDir: string): Promise<number> {
  const { held } = await readLock(join(stateDir, "daemon.lock"));
  const life = new StaleRunCleanup(join(stateDir, "daemon.json")).read();
  if (!held || life === null) return 0;
  return new Set(listPids().flatMap((pid) => environmentValue(pid, RUN_MARKER, `${life.stream_id}:`) ?? [])).size;
}

/** Connects to it. Another user's program, which could read what is typed, is sent nothing; root may talk to every user's. */
export function dialLocal(path: string): Socket {
  const socket = connect(path);
  // Before anything is sent: what is written until then waits for listeners that come after this one.
  socket.once("connect", () => {
    const uid = peerUid(socket);
    if (!isTrustedPeer(uid) && process.geteuid?.() !== 0)
      socket.destroy(new MgrError("forbidden", `${path} is served by another user (uid ${uid}), not by your manager`));
  });
  return socket;
}
