import type { RunCgroups } from "./cgroups.ts";
import { Guard } from "./guard.ts";
import { createReaper } from "./reaper.ts";
import type { TreeReaper } from "./tree-reaper.ts";

interface GuardedReaperOptions {
  /** See `ReaperOptions`. */
  subreaper: boolean;
  marker: string;
  /** See `GuardOptions`. */
  locks?: readonly string[];
  /** Cgroups of the runs; closed along with the reaper. */
  cgroups?: RunCgroups | null;
  log: (msg: string) => void;
}

export interface GuardedReaper extends TreeReaper {
  /** Starts the guard before the first run, which would start it otherwise. */
  startGuard(): void;
  /** Forgets all runs and ends the guard without killing anything. */
  close(): Promise<void>;
}

/** A reaper whose runs die with this process, however it ends (docs/design/runtime-invariants.md, "Guard"). */
export function createGuardedReaper({ subreaper, marker, locks = [], cgroups = null, log }: GuardedReaperOptions): GuardedReaper {
  const guard = new Guard({ marker, locks, cgroup: cgroups?.path ?? null, log });
  const reaper = createReaper({ subreaper, marker, observer: guard, protectedPids: () => guard.pids, cgroups, log });
  return {
    tagged: (runId, start) => reaper.tagged(runId, start),
    track: (run) => reaper.track(run),
    owners: () => reaper.owners(),
    startGuard: () => guard.start(),
    async close() {
      await reaper.close();
      await guard.close();
      await cgroups?.close();
    },
  };
}
