import { z } from "zod";
import type { HandedOver } from "../handover/handed-over.ts";
import type { SurvivingPart } from "../handover/surviving-part.ts";
import type { RunCgroups } from "./cgroups.ts";
import { Guard } from "./guard.ts";
import { createReaper, reaperState } from "./reaper.ts";
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
  /** The state before the program was replaced. */
  taken?: HandedOver | undefined;
}

export const guardedReaperState = z.object({
  reaper: reaperState,
  /** Pid of the guard, whose pipe is the descriptor `guard`; null: there was none. */
  guard: z.int().min(1).nullable(),
  /** Folder of the runs' cgroups; null: there is none. */
  cgroup: z.string().nullable(),
});

export interface GuardedReaper extends TreeReaper, SurvivingPart {
  /** Starts the guard before the first run, which would start it otherwise. */
  startGuard(): void;
  /** Forgets all runs and ends the guard without killing anything. */
  close(): Promise<void>;
}

/** A reaper whose runs die with this process, however it ends (docs/design/runtime-invariants.md, "Guard"). */
export function createGuardedReaper({ subreaper, marker, locks = [], cgroups = null, log, taken }: GuardedReaperOptions): GuardedReaper {
  const state = taken && guardedReaperState.parse(taken.state);
  const pipe = taken?.descriptors.guard;
  const guardTaken = state?.guard == null || pipe === undefined ? null : { pid: state.guard, pipe };
  const guard = new Guard({ marker, locks, cgroup: cgroups?.path ?? null, log, taken: guardTaken });
  const protectedPids = () => guard.pids;
  const reaper = createReaper({ subreaper, marker, observer: guard, protectedPids, cgroups, log, taken: state?.reaper });
  return {
    tagged: (runId, start) => reaper.tagged(runId, start),
    track: (run, known) => reaper.track(run, known),
    owners: () => reaper.owners(),
    startGuard: () => guard.start(),
    async quiet() {
      await guard.quiet();
      await cgroups?.quiet();
    },
    handOver() {
      const own = guard.handOver();
      const parts = { reaper: reaper.handOver(), guard: own?.pid ?? null, cgroup: cgroups?.path ?? null };
      return { state: parts satisfies z.infer<typeof guardedReaperState>, descriptors: own === null ? {} : { guard: own.pipe }, bytes: {} };
    },
    async close() {
      await reaper.close();
      await guard.close();
      await cgroups?.close();
    },
  };
}
