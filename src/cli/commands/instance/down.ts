import { join } from "node:path";
import { visible } from "../../../base/text/visible-text.ts";
import { poll } from "../../../base/timing/wait.ts";
import { isAlive } from "../../../daemon/proc/proc.ts";
import { type LockInfo, readLock } from "../../../daemon/session/lock.ts";
import { killMarked, StaleRunCleanup } from "../../../daemon/tree/stale-run-cleanup.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { loadInstance } from "../../manager/configuration.ts";

/** Polling interval for an ending process, milliseconds: it is not a child of this one, so its end is not notified. */
const CHECK_INTERVAL_MS = 50;

/** `mgr down`: ends the manager, or the daemon that it left behind, with everything they run. Succeeds if nothing is running. */
export async function down(flags: { config?: string; trustConfig?: boolean; profile?: string[]; timeout: number }): Promise<void> {
  const instance = await loadInstance(flags.config, flags);
  // Read before the daemon ends, which then removes the mark that identifies its processes.
  const life = new StaleRunCleanup(join(instance.state_dir, "daemon.json")).read({ rootReadsAll: true });
  const deadline = performance.now() + flags.timeout * 1_000;
  const ended = await endBoth(instance.state_dir, deadline);
  // The daemon may have started a manager again meanwhile.
  if (ended) await endBoth(instance.state_dir, deadline);
  if (life !== null) await killMarked(life, (msg) => console.error(visible(msg)));
  console.log(`${visible(instance.name)} is ${ended ? "down" : "not running"}`);
}

/** Ends the manager, then the daemon. Returns whether there was any. */
async function endBoth(stateDir: string, deadline: number): Promise<boolean> {
  let isAny = false;
  for (const [what, file] of [
    ["manager", "manager.lock"],
    ["daemon", "daemon.lock"],
  ] as const) {
    const lock = await readLock(join(stateDir, file), { rootReadsAll: true });
    if (!lock.held || lock.info === null) continue;
    await end(what, lock.info, deadline);
    isAny = true;
  }
  return isAny;
}

async function end(what: string, holder: LockInfo, deadline: number): Promise<void> {
  // The pid alone is not enough: another process may have it by now.
  if (!isAlive(holder.pid, holder.start_time)) return;
  process.kill(holder.pid, "SIGTERM");
  const hasEnded = () => !isAlive(holder.pid, holder.start_time);
  if (await poll(hasEnded, { everyMs: CHECK_INTERVAL_MS, forMs: deadline - performance.now() })) return;
  throw new CommandFailure(
    EXIT.timeout,
    `the ${what} (pid ${holder.pid}) is still stopping its processes; see mgr ps. Run mgr down again to kill them`,
  );
}
