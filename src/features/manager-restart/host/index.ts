import { rmSync } from "node:fs";
import { join } from "node:path";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { HostContext, HostFeature } from "../../../daemon/host-feature.ts";
import { mayBeAlive, startTimeOf } from "../../../daemon/proc/proc.ts";
import { readLock } from "../../../daemon/session/lock.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";
import { stateFileTail } from "../../../files/state-file-tail.ts";
import { keptManager, type MANAGER_RESTART_REQUESTS, MAX_LAST_OUTPUT } from "../contract.ts";
import { STATUS_FILE } from "../restart-status.ts";
import { ManagerKeeper, type ManagerKeeperOptions } from "./manager-keeper.ts";
import { startManagerProgram } from "./manager-program.ts";

/** Starts the manager of this machine again when it ended unexpectedly. */
export const managerRestartHost: HostFeature<keyof typeof MANAGER_RESTART_REQUESTS> = {
  name: "manager-restart",
  begin({ clock, folders, log, taken }) {
    const keeper = folders === null ? null : new ManagerKeeper({ clock, log, ...effectsIn(folders.state, log) });
    if (taken !== undefined) keeper?.take(keptManager.safeParse(taken.state).data ?? null);
    return {
      service: null,
      handlers: {
        keep_manager: ({ pid, launch }) => {
          if (keeper === null) throw new MgrError("forbidden", "a host in the program of its manager cannot start the manager again");
          return { replaced: keeper.keep(pid, launch) };
        },
        release_manager: () => {
          keeper?.release();
          return {};
        },
      },
      managerGreeted: (pid) => keeper?.greeted(pid),
      linkLost: () => keeper?.linkLost(),
      ending: () => keeper?.close(),
      handOver: () => ({ state: keeper?.handOver() ?? null, descriptors: {}, bytes: {} }),
    };
  },
};

function effectsIn(folder: string, log: HostContext["log"]): Omit<ManagerKeeperOptions, "clock" | "log"> {
  const output = join(folder, "manager.stderr");
  const status = join(folder, STATUS_FILE);
  /** Whether the file may exist: also an earlier daemon may have left it. */
  let isPublished = true;
  return {
    watch: (pid) => {
      const startTime = startTimeOf(pid);
      return () => startTime !== null && mayBeAlive(pid, startTime);
    },
    isLocked: async () => (await readLock(join(folder, "manager.lock"))).held,
    start: (launch) => startManagerProgram(launch, output),
    lastOutput: () => {
      try {
        return stateFileTail(output, 0, MAX_LAST_OUTPUT);
      } catch (error) {
        return `its last output cannot be read: ${messageOf(error)}`.slice(0, MAX_LAST_OUTPUT);
      }
    },
    publish: (news) => {
      if (news === null && !isPublished) return;
      isPublished = news !== null;
      try {
        if (news === null) rmSync(status, { force: true });
        else replaceFileSync(status, `${JSON.stringify({ daemon_pid: process.pid, ...news })}\n`, { isDurable: false });
      } catch (error) {
        log("debug", `commands do not see when the manager is started again: ${messageOf(error)}`);
      }
    },
  };
}
