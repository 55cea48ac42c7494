import type { LockInfo } from "../daemon/lock.ts";
import { mayBeAlive } from "../daemon/proc.ts";

/** The daemon may be another manager's child, so nothing tells us its end: it is looked at this often, milliseconds. */
const LOOK_MS = 250;

/** Calls `onGone` once the process of `holder` is no more. Returns the way to stop looking. */
export function watchDaemon(holder: LockInfo, onGone: () => void): () => void {
  const timer = setInterval(() => {
    if (mayBeAlive(holder.pid, holder.start_time)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS);
  return () => clearInterval(timer);
}
