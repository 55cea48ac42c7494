import type { ProcessFigures } from "../../../cli/command/feature.ts";
import type { Column } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import type { LoadFigures } from "../wire.ts";
import { figureText, SERIES_TEXT } from "./figure-text.ts";
import { sparkline } from "./sparkline.ts";

/** A list of processes does not wait longer, milliseconds: a host may be slow to answer. */
const MAX_WAIT_MS = 3_000;
const COLUMNS = [
  ["threads", "THREADS"],
  ["descriptors", "FDS"],
  ["read_bytes_s", SERIES_TEXT.read_bytes_s.title],
  ["written_bytes_s", SERIES_TEXT.written_bytes_s.title],
] as const;

/** Columns of `mgr ps --usage` beside CPU and memory. */
export async function usageColumns(client: Pick<ManagerClient, "request">): Promise<ProcessFigures> {
  const { processes } = await client.request({ type: "request_newest_load" }, { timeout: MAX_WAIT_MS }).catch(() => ({ processes: [] }));
  const loads = new Map<string, LoadFigures>(processes.map(({ name, load }) => [name, load]));
  const columns = COLUMNS.map(
    ([series, title]): Column<Process> => ({ title, text: ({ name }) => figureText(series, loads.get(name)?.[series]), right: true }),
  );
  return { columns, json: ({ name }) => ({ usage: loads.get(name) ?? null }) };
}

/** Points of the curve in `mgr top`, and the time that it shows, milliseconds. */
const TREND_POINTS = 12;
const TREND_MS = 120_000;

/** CPU of the last two minutes of each process, as a curve. */
export async function cpuTrends(client: Pick<ManagerClient, "request">): Promise<ReadonlyMap<string, string>> {
  const from = new Date(Date.now() - TREND_MS).toISOString().slice(0, -1);
  const { processes } = await client.request(
    { type: "request_load_history", from, points: TREND_POINTS, series: ["cpu_percent"] },
    { timeout: MAX_WAIT_MS },
  );
  return new Map(processes.map(({ name, series }) => [name, sparkline(series.cpu_percent?.mean ?? [])]));
}
