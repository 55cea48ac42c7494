import type { Condition, Conditions } from "../../../app/conditions.ts";
import { conditionId } from "../../../app/conditions.ts";
import { type Clock, pause } from "../../../base/timing/clock.ts";
import type { NetworkProblem } from "../wire.ts";
import type { Network } from "./network.ts";

/** Pause between two measurements, milliseconds, and their length, seconds. */
const PAUSE_MS = 55_000;
const MEASURED_SECONDS = 5;

interface NetworkConditionsOptions {
  readonly clock: Clock;
  readonly conditions: Pick<Conditions, "raise" | "clear">;
  readonly network: Pick<Network, "stats">;
}

/** Raises a condition for each problem of the network, measured once a minute. Returns the function that stops it. */
export function watchNetworkProblems(options: NetworkConditionsOptions): () => void {
  const end = new AbortController();
  void follow(options, end.signal);
  return () => end.abort();
}

async function follow({ clock, conditions, network }: NetworkConditionsOptions, signal: AbortSignal): Promise<void> {
  let known = new Map<string, Condition>();
  while (!signal.aborted) {
    // A failed measurement says nothing about the problems that are known.
    const stats = await network.stats({ seconds: MEASURED_SECONDS, mode: "interval" }).catch(() => null);
    if (signal.aborted) return;
    if (stats !== null) {
      const found = new Map(
        stats.problems.flatMap((problem) => conditionOf(problem).map((condition) => [conditionId(condition), condition])),
      );
      for (const [id, condition] of known) if (!found.has(id)) conditions.clear(condition, "recovered");
      // The text has figures that change with each measurement: the first one is kept.
      for (const [id, condition] of found) if (!known.has(id)) conditions.raise(condition);
      known = found;
    }
    await pause(clock, PAUSE_MS, signal).catch(() => undefined);
  }
}

/** Empty for what is no problem, and for a lost host, which is a condition of its own. */
function conditionOf({ severity, kind, message, host, peer, interface: name, child }: NetworkProblem): Condition[] {
  if (severity === "info" || kind === "unreachable") return [];
  return [{ kind: "network_problem", process: null, host, key: JSON.stringify([kind, peer, name, child]), text: message }];
}
