import type { Process } from "../../protocol/resources/resources.ts";

type Dependent = Pick<Process, "name" | "state" | "requested_state" | "stops_with">;
type Stopped = Pick<Process, "name" | "requested_state" | "stopped_with">;

/** Whether a stop would have an effect: the process runs or is about to, and no stop is requested. */
export function canStop({ state, requested_state }: Pick<Process, "state" | "requested_state">): boolean {
  return state !== "stopped" && state !== "error" && !(state === "stopping" && requested_state === "stop");
}

/** The processes that a stop of others may stop at all: few among many, and all that `stoppedAlong` has to be given. */
export const dependentsAmong = <T extends Dependent>(all: readonly T[]): T[] => all.filter(({ stops_with }) => stops_with.length > 0);

/** The running processes that a stop of `names` also stops, because they depend on them directly or indirectly. */
export function stoppedAlong<T extends Dependent>(names: Iterable<string>, all: readonly T[]): T[] {
  const given = new Set(names);
  const found = closure(given, all, ({ stops_with }) => stops_with);
  return all.filter((process) => found.has(process.name) && !given.has(process.name) && canStop(process));
}

/** The processes that are stopped because of a stop of `names`. */
export function stillStoppedWith<T extends Stopped>(names: Iterable<string>, all: readonly T[]): T[] {
  const given = new Set(names);
  const stopped = all.filter(({ requested_state }) => requested_state === "stop");
  const found = closure(given, stopped, ({ stopped_with }) => (stopped_with === null ? [] : [stopped_with]));
  return stopped.filter(({ name }) => found.has(name) && !given.has(name));
}

/** `names`, and all processes that `causes` connects to them. */
function closure<T extends { name: string }>(names: ReadonlySet<string>, all: readonly T[], causes: (process: T) => readonly string[]) {
  const found = new Set(names);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const process of all) if (causes(process).some((cause) => found.has(cause))) found.add(process.name);
  }
  return found;
}
