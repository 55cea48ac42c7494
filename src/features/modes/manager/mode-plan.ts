import type { ManagerCore } from "../../../app/feature.ts";
import { canStop, stoppedAlong } from "../../../client/shown/along.ts";
import type { ProcessState } from "../../../protocol/resources/resources.ts";
import type { ModeDefinition } from "../config.ts";
import { selectedBy } from "../select.ts";

type Situation = Pick<ManagerCore, "config" | "processes">;

/** The processes that a mode selects, whatever their states. */
export interface SelectedProcesses {
  readonly start: readonly string[];
  /** Without those that it starts, or that these need. */
  readonly stop: readonly string[];
  /** Processes that it starts, with all that they need. */
  readonly needed: ReadonlySet<string>;
}

/** Steps of a switch, in the order in which they are done. */
export interface SwitchPlan {
  readonly stops: readonly string[];
  /** Processes that stop because they depend on those. */
  readonly along: readonly string[];
  readonly starts: readonly string[];
  /** Processes that are started because those need them. */
  readonly before: readonly string[];
}

export function selectedProcesses(
  { start, stop }: Pick<ModeDefinition, "start" | "stop">,
  { config, processes }: Situation,
): SelectedProcesses {
  const definitions = config().processes;
  const all = [...definitions.values()].filter(({ name }) => !processes.retiring.has(name));
  const select = (words: readonly string[]) => [...new Set(words.flatMap((word) => selectedBy(word, all)))];
  const started = processes.graph.inStartOrder(select(start));
  const needed = new Set(started);
  // A set includes elements that are added during its iteration.
  for (const name of needed) for (const dependency of definitions.get(name)?.depends_on ?? []) needed.add(dependency.name);
  return { start: started, stop: processes.graph.inStartOrder(select(stop).filter((name) => !needed.has(name))).reverse(), needed };
}

export function switchPlan(selected: SelectedProcesses, { processes }: Situation): SwitchPlan {
  const all = processes.processes();
  const byName = new Map(all.map((process) => [process.name, process]));
  const stops = selected.stop.filter((name) => {
    const process = byName.get(name);
    return process !== undefined && canStop(process);
  });
  const starts = selected.start.filter((name) => {
    const process = byName.get(name);
    return process !== undefined && (process.requested_state === "stop" || isAtRest(process.state));
  });
  const before = new Set(starts);
  for (const name of before)
    for (const dependency of processes.unmet(name).missing) if (!isUnderWay(byName.get(dependency)?.state)) before.add(dependency);
  for (const name of starts) before.delete(name);
  return { stops, along: stoppedAlong(stops, all).map(({ name }) => name), starts, before: processes.graph.inStartOrder(before) };
}

export const isAtRest = (state: ProcessState | undefined): boolean => state === undefined || state === "stopped" || state === "error";

function isUnderWay(state: ProcessState | undefined): boolean {
  return state !== undefined && !isAtRest(state) && state !== "stopping";
}
