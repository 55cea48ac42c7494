import type { ShownState } from "../../../src/client/shown/shown-state.ts";
import { TROUBLE } from "./causes.ts";

export interface Verdict {
  /** "bad" (red) is for processes that failed or are lost; those that the manager restarts by itself are a warning. */
  readonly kind: "bad" | "warn" | "busy" | "good";
  readonly mark: ShownState;
  readonly text: string;
}

interface Numbers {
  /** Number of processes by shown state. */
  counts: ReadonlyMap<ShownState, number>;
  /** Number of hosts that are not connected. */
  away: number;
  /** Number of processes that need attention although their state is good. */
  noticed: number;
  /** Number of configured processes. */
  processes: number;
}

/** The first sentence of the overview: the worst problem. */
export function verdictOf({ counts, away, noticed, processes }: Numbers): Verdict {
  const count = (state: ShownState) => counts.get(state) ?? 0;
  const failed = count("error");
  const restarting = count("backoff");
  const trouble = TROUBLE.reduce((sum, state) => sum + count(state), 0);
  if (failed > 0) {
    const many = failed + restarting + noticed;
    return { kind: "bad", mark: "error", text: `${many} ${many === 1 ? "process needs" : "processes need"} attention.` };
  }
  if (away > 0) return { kind: "bad", mark: "lost", text: `${away} ${away === 1 ? "host is" : "hosts are"} not connected.` };
  if (restarting > 0) return { kind: "warn", mark: "backoff", text: `${processNumber(restarting)} restarting after a failure.` };
  if (noticed > 0)
    return { kind: "warn", mark: "backoff", text: `${noticed} ${noticed === 1 ? "process needs" : "processes need"} attention.` };
  if (trouble > 0) return { kind: "busy", mark: "starting", text: `${processNumber(trouble)} starting or stopping.` };
  return { kind: "good", mark: "ready", text: processes === 0 ? "No processes are configured." : "No problems." };
}

const processNumber = (count: number) => `${count} ${count === 1 ? "process is" : "processes are"}`;
