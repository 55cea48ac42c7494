import { formatTime } from "../../../protocol/time.ts";
import type { LoadHistoryOfHost } from "../../load-history/host/index.ts";
import { LOAD_MS } from "../limits.ts";
import type { Load } from "./collector.ts";

/** A point for each measurement of ten minutes. */
const POINTS = 60;

/** The load of a process before its end, from the history that the host has. */
export function loadBefore(history: LoadHistoryOfHost): Load {
  return async (name, { from, until }) => {
    const row = await history.of(name, { from: Math.max(from, until - LOAD_MS), until, points: POINTS });
    const isMeasured = Object.values(row.series).some(({ mean }) => mean.some((value) => value !== null));
    return isMeasured ? { start: formatTime(row.start), step: row.step_ms / 1_000, series: row.series } : null;
  };
}
