import { accessSync, constants, readFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../../../base/errors.ts";
import { clockState } from "../../../../daemon/native/clock-state.ts";
import { baseOfRuns, ownCgroup } from "../../../../daemon/tree/cgroups.ts";
import { type Finding, ok, warning } from "../finding.ts";

/** Open files that a manager with some hundred processes and viewers needs. */
const ENOUGH_FILES = 4_096;
/** Processes and threads: Node has about a dozen threads, and so has each program in it. */
const ENOUGH_TASKS = 1_000;
/** Controllers of cgroup v2 that limits of processes use. */
const CONTROLLERS = ["memory", "cpu", "io"];
const CGROUPS_ADVICE = "limits of processes by cgroups have no effect; docs/limits.md says how to start mgr with a cgroup of its own";

/** The machine as a manager would find it that is started here. `proc`: the folder of this process in /proc. */
export function machineFindings(proc = "/proc/self"): Finding[] {
  return [ok("kernel", `Linux ${release()}, Node ${process.versions.node}`), cgroups(proc), ...limits(proc), ...tasks(proc), clock()];
}

function cgroups(proc: string): Finding {
  try {
    const own = ownCgroup(proc);
    if (own === null) return warning("cgroups", "no cgroup v2 is mounted", CGROUPS_ADVICE);
    const base = baseOfRuns(own);
    accessSync(join(base, "cgroup.procs"), constants.W_OK);
    const available = readFileSync(join(base, "cgroup.controllers"), "utf8").trim().split(/\s+/);
    const missing = CONTROLLERS.filter((each) => !available.includes(each));
    if (missing.length === 0) return ok("cgroups", `cgroup v2 with ${CONTROLLERS.join(", ")} at ${base}`);
    return warning("cgroups", `${base} lacks the controllers ${missing.join(", ")}`, CGROUPS_ADVICE);
  } catch (error) {
    return warning("cgroups", `the cgroup of this process cannot be changed: ${messageOf(error)}`, CGROUPS_ADVICE);
  }
}

function limits(proc: string): Finding[] {
  const text = readFileSync(join(proc, "limits"), "utf8");
  // The hard limit: Node raises the soft one to it.
  const files = limitOf(text, "Max open files");
  const processes = limitOf(text, "Max processes");
  return [
    files < ENOUGH_FILES
      ? warning(
          "open files",
          `at most ${files}`,
          `raise the hard limit to ${ENOUGH_FILES} or more: LimitNOFILE= of the unit, or ulimit -Hn`,
        )
      : ok("open files", `at most ${shown(files)}`),
    processes < ENOUGH_TASKS
      ? warning("processes", `at most ${processes} of this user`, "raise the limit: LimitNPROC= of the unit, or ulimit -u")
      : ok("processes", `at most ${shown(processes)} of this user`),
  ];
}

/** The hard limit of a row of /proc/PID/limits. */
function limitOf(text: string, name: string): number {
  const [, , hard] = new RegExp(`^${name}\\s+(\\S+)\\s+(\\S+)`, "m").exec(text) ?? [];
  return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
}

const shown = (count: number): string => (count === Number.POSITIVE_INFINITY ? "any number" : String(count));

/** The limit of processes and threads of the cgroup, which systemd calls TasksMax. Nothing: there is none, or it cannot be read. */
function tasks(proc: string): Finding[] {
  try {
    const own = ownCgroup(proc);
    if (own === null) return [];
    const max = readFileSync(join(own, "pids.max"), "utf8").trim();
    if (max === "max" || Number(max) >= ENOUGH_TASKS) return [ok("tasks", `at most ${max === "max" ? "any number" : max} in this cgroup`)];
    return [warning("tasks", `at most ${max} processes and threads in this cgroup`, "set TasksMax=infinity in the unit")];
  } catch {
    return [];
  }
}

function clock(): Finding {
  return clockState() === "synchronized"
    ? ok("clock", "synchronized")
    : warning(
        "clock",
        "not synchronized",
        "times of hosts and recordings do not compare: run a time service, such as chrony or systemd-timesyncd",
      );
}
