import type { ProcessLoadHistory } from "../../../../src/features/load-history/wire.ts";
import { client } from "../../state/store.ts";

/** Mean and maximum of a figure over a run; null: nothing was measured. */
export interface Range {
  readonly mean: number;
  readonly max: number;
}

export interface RunLoad {
  /** Percent of one CPU. */
  readonly cpu: Range | null;
  /** Bytes. */
  readonly memory: Range | null;
}

const POINTS = 300;

/** The load of a process between two times of the protocol; null: there is no history of it. */
export async function requestRunLoad(name: string, from: string, until: string): Promise<RunLoad | null> {
  if (from >= until) return null;
  const answer = await client.request({
    type: "request_load_history",
    names: [name],
    series: ["cpu_percent", "memory"],
    from,
    until,
    points: POINTS,
  });
  return runLoad(answer.processes);
}

/** Sums up the histories of a process, one for each host that has one. */
export function runLoad(histories: readonly Pick<ProcessLoadHistory, "series">[]): RunLoad | null {
  const load = { cpu: rangeOf(histories, "cpu_percent"), memory: rangeOf(histories, "memory") };
  return load.cpu === null && load.memory === null ? null : load;
}

function rangeOf(histories: readonly Pick<ProcessLoadHistory, "series">[], series: string): Range | null {
  const values = (kind: "mean" | "max") =>
    histories.flatMap((history) => history.series[series]?.[kind].filter((value) => value !== null) ?? []);
  const [means, maxima] = [values("mean"), values("max")];
  if (means.length === 0 || maxima.length === 0) return null;
  return { mean: means.reduce((sum, value) => sum + value, 0) / means.length, max: Math.max(...maxima) };
}
