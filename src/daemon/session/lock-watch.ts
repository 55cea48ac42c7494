import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { untilBeat } from "../../base/timing/clock.ts";
import type { Lock } from "./lock.ts";

/** Interval of checks of the lock file, milliseconds. */
const CHECK_INTERVAL_MS = 2_000;

interface LockWatchOptions {
  lock: Pick<Lock, "path" | "isInPlace" | "renew">;
  /** Writes all files of the state folder again after it was replaced. Called until it succeeds. */
  remake: () => Promise<void>;
  /** Called at each check while the folder is the same. */
  onCheck?: () => Promise<void>;
  log: (level: "warning" | "error", msg: string) => void;
}

/**
 * Detects within seconds that the state folder of a running program was removed or replaced, and creates it again: the lock first. Returns
 * a function that ends the watch, and resolves when nothing is being written any more.
 */
export function watchLock({ lock, remake, onCheck, log }: LockWatchOptions): () => Promise<void> {
  const folder = dirname(lock.path);
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  /** Problem of the folder; null: none. */
  let lost: string | null = null;
  let reported = "";

  const complain = (problem: string) => {
    if (problem !== reported) log("error", `the state folder ${folder} ${lost ?? "cannot be kept complete"}: ${problem}; trying again`);
    reported = problem;
  };
  const check = async () => {
    if (await lock.isInPlace()) {
      if (lost === null) return onCheck?.();
    } else {
      lost = (await stat(folder).catch(() => null)) === null ? "was removed" : "was replaced or emptied";
      if (!lock.renew()) return complain(`another process has locked ${lock.path}`);
    }
    await remake();
    log("warning", `the state folder ${folder} ${lost} while this program runs; it has been made again with its present content`);
    lost = null;
    reported = "";
  };
  let checking = Promise.resolve();
  const next = () => {
    if (isOver) return;
    timer = setTimeout(
      () => {
        checking = check()
          .catch((error: unknown) => complain(messageOf(error)))
          .then(next);
      },
      untilBeat(CHECK_INTERVAL_MS, performance.now()),
    );
    timer.unref();
  };
  next();
  return () => {
    isOver = true;
    if (timer) clearTimeout(timer);
    return checking;
  };
}
