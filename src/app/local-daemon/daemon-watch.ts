import type { LockInfo } from "../../daemon/session/lock.ts";
import { mayBeAlive } from "../../daemon/tree/proc.ts";

/** The daemon may be another manager's child, so nothing tells us its end: it is looked at this often, milliseconds. */
const LOOK_MS = 250;

/** Calls `onGone` once the process of `daemon` is no more. Returns the way to stop looking. */
export function watchDaemon(daemon: Pick<LockInfo, "pid" | "start_time">, onGone: () => void): () => void {
  const timer = setInterval(() => {
    if (mayBeAlive(daemon.pid, daemon.start_time)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS);
  return () => clearInterval(timer);
}
