import { basename, join } from "node:path";
import type { Clock } from "../../../base/timing/clock.ts";
import { readProcFile } from "../../../daemon/proc/proc.ts";
import { type CgroupMount, cgroupFolder, cgroupMounts, unifiedCgroup } from "../../../daemon/tree/cgroups.ts";
import { executablePath, type SeenExecutable, seeExecutable } from "./executable.ts";

/** Delay of the second examination of a run, milliseconds: a shell may have executed the program by then, and the run is in its cgroup. */
const EXAMINE_AGAIN_MS = 1_000;
/** Runs that begin within this time are examined again together, milliseconds. */
const GATHER_MS = 50;
/** The daemon's limits, which its runs have unless others are configured, are read again after this time, milliseconds. */
const LIMITS_VALID_MS = 1_000;

/** The limit of a run's tag (src/daemon/tree/run-tag.ts): another one in each run. */
const RUN_MARK = /^Max file locks .*\n/m;

/** Facts about the leader of a run, from /proc. They are read while it lives, because they are gone when it has ended. */
export interface SeenRun {
  executable: SeenExecutable | null;
  /** Text of /proc/PID/limits without the limit that marks runs, so that most runs have the same. */
  limits: string | null;
  cgroup: { readonly folder: string; readonly oomKills: number | null } | null;
}

interface Entry extends SeenRun {
  readonly pid: number;
  /** Monotonic, milliseconds. */
  readonly begun: number;
}

/** Examines each run when it begins, and once more a second later. Hundreds may begin in one second, so it reads no more than it has to. */
export class SeenRuns {
  readonly #clock: Clock;
  readonly #runs = new Map<string, Entry>();
  /** Runs that are examined once more, the earliest first. */
  readonly #again = new Map<string, Entry>();
  #timer: unknown = null;
  /** The text of the last run without limits of its own, kept once for all that have the same. */
  #limits: { readonly text: string; readonly read: number } | null = null;
  /** Read once, when first needed: the list of mounts is long, and this program reads the cgroups of all runs through its own. */
  #mounts: readonly CgroupMount[] | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `hasLimits`: whether limits are configured for the run; without, it has those of this program. */
  begun(runId: string, pid: number, { hasLimits }: { readonly hasLimits: boolean }): void {
    const begun = this.#clock.monotonic();
    const limits = hasLimits ? limitsOf(pid) : this.#limitsWithoutOwn(pid, begun);
    const entry: Entry = { pid, begun, executable: seeExecutable(pid), limits, cgroup: null };
    this.#runs.set(runId, entry);
    this.#again.set(runId, entry);
    this.#timer ??= this.#clock.setTimeout(() => this.#examineAgain(), EXAMINE_AGAIN_MS);
  }

  /** Returns what was seen of a run that has ended, and forgets it. */
  take(runId: string): SeenRun | null {
    const entry = this.#runs.get(runId);
    if (entry === undefined) return null;
    this.#runs.delete(runId);
    this.#again.delete(runId);
    if (this.#again.size === 0) this.#stopTimer();
    return entry;
  }

  close(): void {
    this.#runs.clear();
    this.#again.clear();
    this.#stopTimer();
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #examineAgain(): void {
    this.#timer = null;
    const now = this.#clock.monotonic();
    for (const [runId, entry] of this.#again) {
      const left = entry.begun + EXAMINE_AGAIN_MS - now;
      if (left > 0) {
        this.#timer = this.#clock.setTimeout(() => this.#examineAgain(), Math.max(left, GATHER_MS));
        return;
      }
      this.#again.delete(runId);
      const path = executablePath(entry.pid);
      if (path !== null && path !== entry.executable?.path) entry.executable = seeExecutable(entry.pid) ?? entry.executable;
      entry.cgroup = this.#cgroupOf(runId, entry.pid);
    }
  }

  #limitsWithoutOwn(pid: number, now: number): string | null {
    const known = this.#limits;
    if (known !== null && now - known.read < LIMITS_VALID_MS) return known.text;
    const text = limitsOf(pid);
    if (text === null) return null;
    this.#limits = { text: text === known?.text ? known.text : text, read: now };
    return this.#limits.text;
  }

  /** Null: there is no cgroup v2, or the process has ended. A cgroup of the run's own began with it, so nothing in it was killed before. */
  #cgroupOf(runId: string, pid: number): SeenRun["cgroup"] {
    try {
      const name = unifiedCgroup(`/proc/${pid}`);
      this.#mounts ??= cgroupMounts("/proc/self");
      const folder = name === null ? null : cgroupFolder(this.#mounts, name);
      return folder === null ? null : { folder, oomKills: basename(folder) === runId ? 0 : oomKillsIn(folder) };
    } catch {
      return null;
    }
  }
}

/** Null: the process has ended, or this program has no descriptor left to read them. */
function limitsOf(pid: number): string | null {
  try {
    return readProcFile(`/proc/${pid}/limits`)?.toString("latin1").replace(RUN_MARK, "") ?? null;
  } catch {
    return null;
  }
}

/** Processes of a cgroup that were killed for lack of memory, so far; null: the kernel does not count them there. */
export function oomKillsIn(folder: string): number | null {
  try {
    const events = readProcFile(join(folder, "memory.events"))?.toString("latin1") ?? "";
    const kills = /^oom_kill (\d+)$/m.exec(events)?.[1];
    return kills === undefined ? null : Number(kills);
  } catch {
    return null;
  }
}
