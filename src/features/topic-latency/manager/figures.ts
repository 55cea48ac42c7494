import { timeText } from "../../flight/manager/index.ts";
import type { HostFigures, HostLatency, HostThread } from "../contract.ts";
import type { LatencyFigures, LatencyPath, LatencyStage } from "../wire.ts";

const MS = 1e6;
const NS_PER_S = 1e9;

/** Nanoseconds as milliseconds, to a microsecond. */
export const inMs = (ns: number): number => Math.round(ns / 1_000) / 1_000;

/** `ahead`: the clock of the measuring host minus that of the manager, nanoseconds. */
export function shownPath({ topics, total, legs }: HostLatency["paths"][number], ahead: bigint): LatencyPath {
  return { topics, total: shownFigures(total, ahead), legs: legs.map((leg) => shownFigures(leg, ahead)) };
}

function shownFigures({ messages, below_zero, bins, worst, ...ns }: HostFigures, ahead: bigint): LatencyFigures {
  const onManager = (time: string) => timeText(BigInt(time) - ahead);
  return {
    messages,
    below_zero,
    min_ms: inMs(ns.min),
    mean_ms: inMs(ns.mean),
    p50_ms: inMs(ns.p50),
    p90_ms: inMs(ns.p90),
    p99_ms: inMs(ns.p99),
    p999_ms: inMs(ns.p999),
    max_ms: inMs(ns.max),
    deviation_ms: inMs(ns.deviation),
    jitter_ms: inMs(ns.jitter),
    histogram: bins.map(({ from, messages }) => ({ from_ms: from / MS, messages })),
    worst: { from: onManager(worst.from), until: onManager(worst.until), seq: worst.seq },
  };
}

/** Work of threads between two readings. Those that got no CPU are left out; one that began in between counts from its begin. */
export function shownThreads(before: readonly HostThread[], after: readonly HostThread[], seconds: number): LatencyStage["threads"] {
  return after
    .map((thread) => {
      const { tid, name, policy, prio, nice, affinity } = thread;
      const first = before.find((each) => each.tid === tid);
      const since = (key: "run_ns" | "wait_ns" | "turns" | "voluntary" | "involuntary") => Math.max(0, thread[key] - (first?.[key] ?? 0));
      return {
        tid,
        thread: name,
        ...{ policy, prio, nice, affinity: affinity.join(",") },
        cpu_percent: Math.round((1_000 * since("run_ns")) / (seconds * NS_PER_S)) / 10,
        wait_ms: inMs(since("wait_ns")),
        turns: since("turns"),
        voluntary: since("voluntary"),
        involuntary: since("involuntary"),
      };
    })
    .filter(({ turns }) => turns > 0)
    .sort((a, b) => b.wait_ms - a.wait_ms);
}
