import type { RunningManager } from "../../../app/manager.ts";
import { listNames } from "../../../base/text/names.ts";

/** Interval between checks, milliseconds: a stop that takes less is not reported. */
const CHECK_INTERVAL_MS = 1_000;

/** Reports which processes a shutdown waits for, whenever that changes. Returns a function that ends it. */
export function reportRemaining({ engine }: RunningManager, tell: (sentence: string) => void): () => void {
  let reported = "";
  const timer = setInterval(() => {
    const sentence = remaining(engine.control.state.processes());
    if (sentence !== reported && sentence !== "") tell(sentence);
    reported = sentence;
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Text about the processes that are waited for: those being stopped. The others are stopped after them. */
export function remaining(processes: readonly { name: string; state: string; pid: number | null }[]): string {
  const alive = processes.filter(({ pid }) => pid !== null);
  const stopping = alive.filter(({ state }) => state === "stopping").map(({ name }) => name);
  if (stopping.length === 0) return "";
  const others = alive.length - stopping.length;
  return `waiting for ${listNames(stopping)} to end${others === 0 ? "" : `; ${others} more will be stopped after that`}`;
}
