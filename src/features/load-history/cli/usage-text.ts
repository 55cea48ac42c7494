import { visible } from "../../../base/text/visible-text.ts";
import { table } from "../../../cli/output/table.ts";
import { formatTime, parseTime } from "../../../protocol/time.ts";
import { PROCESS_SERIES, type ProcessSeries } from "../series.ts";
import type { LoadCurve, ProcessLoadHistory } from "../wire.ts";
import { figureText, SERIES_TEXT } from "./figure-text.ts";
import { sparkline } from "./sparkline.ts";

/** Beginnings of cells that spreadsheets evaluate; they skip blanks before them. */
const FORMULA = /^\s*[=+\-@]/;

/** A table of one process: a line for each series. */
export function usageText(history: ProcessLoadHistory, width?: number): string {
  const rows = PROCESS_SERIES.flatMap((series) => {
    const curve = history.series[series];
    return curve === undefined ? [] : [{ series, curve, ...summaryOf(curve) }];
  });
  const body = table(
    [
      { title: "", text: ({ series }) => SERIES_TEXT[series].title },
      { title: "MIN", text: ({ series, min }) => figureText(series, min), right: true },
      { title: "MEAN", text: ({ series, mean }) => figureText(series, mean), right: true },
      { title: "MAX", text: ({ series, max }) => figureText(series, max), right: true },
      { title: "", text: ({ curve }) => sparkline(curve.mean) },
    ],
    rows,
    width,
  );
  return `${visible(headline(history))}\n${body}`;
}

function headline({ name, host, start, step, resolution, oldest, series }: ProcessLoadHistory): string {
  const count = Object.values(series)[0]?.mean.length ?? 0;
  const end = formatTime(parseTime(start) + 1_000 * step * count);
  const since = oldest === null ? "" : `, history since ${shown(oldest)}`;
  return `${name} on ${host}, ${shown(start)} to ${shown(end)} UTC: a point every ${step} s, measured every ${resolution} s${since}`;
}

const shown = (time: string): string => time.slice(0, 19).replace("T", " ");

/** Over all points; null: nothing was measured. Points of a whole answer stand for the same time. */
function summaryOf({ min, mean, max }: LoadCurve): { min: number | null; mean: number | null; max: number | null } {
  const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const means = known(mean);
  return {
    min: means.length === 0 ? null : Math.min(...known(min)),
    mean: means.length === 0 ? null : means.reduce((sum, value) => sum + value, 0) / means.length,
    max: means.length === 0 ? null : Math.max(...known(max)),
  };
}

/** A line for each point of each process; cells of points at which nothing was measured are empty. */
export function* usageCsv(histories: readonly ProcessLoadHistory[]): Generator<string> {
  yield `time,name,host,${PROCESS_SERIES.flatMap((series) => (["min", "mean", "max"] as const).map((part) => `${series}_${part}`)).join(",")}`;
  for (const { name, host, start, step, series } of histories) {
    const begin = parseTime(start);
    const count = Object.values(series)[0]?.mean.length ?? 0;
    for (let point = 0; point < count; point++) {
      const cells = PROCESS_SERIES.flatMap((each) => cellsOf(series, each, point));
      yield [formatTime(begin + 1_000 * step * point), quoted(name), quoted(host), ...cells].join(",");
    }
  }
}

function cellsOf(series: ProcessLoadHistory["series"], name: ProcessSeries, point: number): string[] {
  const curve = series[name];
  return [curve?.min[point], curve?.mean[point], curve?.max[point]].map((value) => (value == null ? "" : String(value)));
}

/** Spreadsheets must not evaluate the name of a process. */
function quoted(text: string): string {
  const safe = visible(FORMULA.test(text) ? `'${text}` : text);
  return `"${safe.replaceAll('"', '""')}"`;
}
