import type { Process } from "../../../protocol/resources/resources.ts";
import type { Mode } from "../wire.ts";

type State = Pick<Process, "name" | "requested_state" | "state">;

/** Differences from a mode at this moment: processes that it starts and that are not to run, and those that it stops and that are to run. */
export interface Differences {
  readonly missing: readonly string[];
  readonly extra: readonly string[];
}

export function differencesFrom({ start, stop }: Pick<Mode, "start" | "stop">, processes: readonly State[]): Differences {
  const byName = new Map(processes.map((process) => [process.name, process]));
  const isWanted = (name: string) => {
    const process = byName.get(name);
    return process !== undefined && process.requested_state === "start" && process.state !== "error";
  };
  const runs = (name: string) => isWanted(name) && byName.get(name)?.state !== "stopped";
  return { missing: start.filter((name) => !isWanted(name)), extra: stop.filter(runs) };
}

/** "without sim/world; beside it runs db", or "" for none. */
export function differencesText({ missing, extra }: Differences): string {
  return [missing.length === 0 ? "" : `without ${missing.join(", ")}`, extra.length === 0 ? "" : `also running: ${extra.join(", ")}`]
    .filter((text) => text !== "")
    .join("; ");
}

const STEPS = { stopping: "stopping processes", parameters: "setting parameters", starting: "starting processes" } as const;

/** State of a switch, in words. */
export const stepText = (step: keyof typeof STEPS): string => STEPS[step];
