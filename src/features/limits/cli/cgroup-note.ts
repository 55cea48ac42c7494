import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessDefinition } from "../../../config/definition.ts";
import { baseOfRuns, ownCgroup } from "../../../daemon/tree/cgroups.ts";

type Limited = Pick<ProcessDefinition, "name" | "cgroup">;

/** Notes of `mgr check` on cgroup limits of this machine that a manager would not be able to set if it were started as the command was. */
export function cgroupNotes(processes: readonly Limited[], proc = "/proc/self"): string[] {
  const available = availableControllers(proc);
  return ["memory", "cpu", "io"].flatMap((controller) => {
    const names = processes.filter((each) => needs(each, controller)).map(({ name }) => name);
    if (names.length === 0 || available?.includes(controller)) return [];
    const why =
      available === null ? "there is no cgroup v2" : "it is not delegated to programs that are started here, or is used by cgroup v1";
    const others = names.length > 3 ? ` and ${names.length - 3} more` : "";
    return [
      `the limits of 'cgroup' that need the ${controller} controller cannot be set: ${why}. This is about ${names.slice(0, 3).join(", ")}${others}; see docs/limits.md`,
    ];
  });
}

/** Null: no cgroup v2 is mounted. */
function availableControllers(proc: string): string[] | null {
  try {
    const own = ownCgroup(proc);
    return own === null
      ? null
      : readFileSync(join(baseOfRuns(own), "cgroup.controllers"), "utf8")
          .trim()
          .split(/\s+/);
  } catch {
    return null; // Not mounted, or not readable.
  }
}

function needs({ cgroup }: Limited, controller: string): boolean {
  if (cgroup === null) return false;
  if (controller === "memory") return cgroup.memory_high !== null || cgroup.memory_max !== null;
  return controller === "cpu" ? cgroup.cpu_max !== null : cgroup.io_max.length > 0;
}
