import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, write } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { SerialQueue } from "../../base/timing/serial-queue.ts";
import { readProcFile, readStat } from "../proc/proc.ts";

/** Ended processes may still be counted for a moment: removal of a folder is retried at this interval, milliseconds, this many times. */
const REMOVE_AGAIN_MS = 50;
const MAX_REMOVE_TRIES = 100;
/** Name of a cgroup that contains manager and daemon alone. */
const MANAGER_SUBGROUP = "mgr";
/** Paths that the guard's shell accepts without quoting. */
const PLAIN_PATH = /^[\w./@:-]+$/;

/**
 * One cgroup per run, below a cgroup of this host's lifetime, if a cgroup v2 is writable: a single write then kills a whole tree, however
 * fast it forks. Optional: sweeps find processes that escaped before they were added (reaper.ts).
 */
export class RunCgroups {
  readonly path: string;
  /** The latest step of each run: steps run one after the other. */
  readonly #steps = new Map<string, SerialQueue>();

  /**
   * Returns null if there is no writable cgroup v2. `name` is unique to this host's lifetime; the folder name contains the pid and start
   * time of this process, too, so that other daemons can check whether it is still alive.
   */
  static create(name: string, proc = "/proc/self"): RunCgroups | null {
    try {
      const own = ownCgroup(proc);
      if (own === null) return null;
      const base = baseOfRuns(own);
      sweep(base);
      const path = join(base, `mgr-${process.pid}-${readStat(process.pid)?.startTime}-${name}`);
      if (!PLAIN_PATH.test(path)) return null;
      mkdirSync(path);
      if (existsSync(join(path, "cgroup.kill"))) return new RunCgroups(path);
      rmdirSync(path);
      return null;
    } catch {
      return null; // Mounted read-only, or owned by another user.
    }
  }

  /** The cgroups of the program before this one. */
  static take(path: string): RunCgroups {
    return new RunCgroups(path);
  }

  private constructor(path: string) {
    this.path = path;
  }

  /** Resolves when no step is in progress; only those that were begun before the call count. */
  async quiet(): Promise<void> {
    await Promise.all([...this.#steps.values()].map((steps) => steps.run(() => undefined)));
  }

  /** Puts a process, and its later forks, into the cgroup of a run. */
  add(runId: string, pid: number): void {
    this.#next(runId, async () => {
      const folder = join(this.path, runId);
      makeFolder(folder);
      await writeTo(join(folder, "cgroup.procs"), String(pid));
    });
  }

  /** Resolves with the folder of a run's cgroup after the steps so far; null: it has none. */
  async folderOf(runId: string): Promise<string | null> {
    const folder = join(this.path, runId);
    await this.#steps.get(runId)?.run(() => undefined);
    return existsSync(folder) ? folder : null;
  }

  kill(runId: string): void {
    this.#next(runId, () => writeTo(join(this.path, runId, "cgroup.kill"), "1"));
  }

  /** Removes the cgroup of an extinct run. */
  remove(runId: string): void {
    void this.#next(runId, () => removeTree(join(this.path, runId))).then(() => {
      if (this.#steps.get(runId)?.isEmpty) this.#steps.delete(runId);
    });
  }

  async close(): Promise<void> {
    await this.quiet();
    await removeTree(this.path);
  }

  /** Failures are not reported: an ended process cannot be moved, and sweeps cover the rest. */
  #next(runId: string, step: () => Promise<void>): Promise<void> {
    const steps = this.#steps.get(runId) ?? new SerialQueue();
    this.#steps.set(runId, steps);
    return steps.run(step).catch(() => undefined);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch {
    // Another daemon may have removed the parent while it was empty; or the folder is there.
    mkdirSync(path, { recursive: true });
  }
}

const writeInBackground = promisify(write);

/** Only the write itself can take long, as the kernel may wait for other processors: opening and closing need no thread of their own. */
async function writeTo(path: string, text: string): Promise<void> {
  const fd = openSync(path, "w");
  try {
    await writeInBackground(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** Name of a process's cgroup in the hierarchy of version 2, such as `/user.slice`; null: it has none. `proc`: its folder in /proc. */
export function unifiedCgroup(proc: string): string | null {
  const line = readProcFile(join(proc, "cgroup"))
    ?.toString("utf8")
    .split("\n")
    .find((each) => each.startsWith("0::"));
  return line === undefined ? null : line.slice("0::".length);
}

/** A part of the hierarchy of version 2, and the folder where it is mounted. */
export interface CgroupMount {
  /** Name of the cgroup at the top of this part: "/" if all of it is mounted. */
  readonly root: string;
  readonly folder: string;
}

/** Mounts of cgroup v2 that a process sees. `proc`: its folder in /proc. */
export function cgroupMounts(proc: string): CgroupMount[] {
  const lines = readFileSync(join(proc, "mountinfo"), "utf8").split("\n");
  return lines.flatMap((line) => {
    // proc(5): … root, mount point, options, then " - " and the type of the file system.
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root = "", folder = ""] = before.split(" ");
    return after.startsWith("cgroup2 ") ? { root, folder } : [];
  });
}

/** The folder of a cgroup of this name (`unifiedCgroup`); null: it is not mounted. */
export function cgroupFolder(mounts: readonly CgroupMount[], name: string): string | null {
  for (const { root, folder } of mounts) {
    if (root === "/") return join(folder, name);
    if (name === root || name.startsWith(`${root}/`)) return join(folder, name.slice(root.length));
  }
  return null;
}

/** The folder of a process's cgroup in a mounted cgroup v2; null: there is none. `proc`: its folder in /proc. */
export function ownCgroup(proc: string): string | null {
  const name = unifiedCgroup(proc);
  return name === null ? null : cgroupFolder(cgroupMounts(proc), name);
}

/**
 * The cgroup below which those of the runs are created: the host's own one, or the one above if its own is named `mgr`, as with
 * DelegateSubgroup=mgr of systemd. A cgroup that contains processes cannot limit those below it (cgroups(7), "no internal processes").
 */
export function baseOfRuns(own: string): string {
  return basename(own) === MANAGER_SUBGROUP ? dirname(own) : own;
}

/** Removes folders of hosts that were killed together with their guards, if they hold no process. Others are busy, and stay. */
function sweep(own: string): void {
  for (const folder of foldersIn(own)) {
    const [, pid, startTime] = /^mgr-(\d+)-(\d+)-/.exec(folder) ?? [];
    if (pid === undefined || readStat(Number(pid))?.startTime === startTime) continue;
    try {
      removeEmpty(join(own, folder));
    } catch {
      // It still contains a process, or belongs to another user.
    }
  }
}

function removeEmpty(path: string): void {
  for (const folder of foldersIn(path)) removeEmpty(join(path, folder));
  rmdirSync(path);
}

function foldersIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** Removes a cgroup, including those that programs have created below it. */
async function removeTree(path: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_REMOVE_TRIES; attempt++) {
    try {
      // Mostly there are no folders in it.
      if (attempt > 0) for (const folder of foldersIn(path)) await removeTree(join(path, folder));
      rmdirSync(path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      if (attempt === 0) continue;
      await new Promise<void>((resolve) => setTimeout(resolve, REMOVE_AGAIN_MS).unref());
    }
  }
}
