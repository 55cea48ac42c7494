import type { HistoryEvent } from "../../../../src/features/load-history/event-wire.ts";
import type { ProcessSeries } from "../../../../src/features/load-history/series.ts";
import { client, processNames } from "../../state/store.ts";
import type { ViewOf } from "../../state/views.ts";
import { type CurveData, curvesOf } from "./charts/curve-data.ts";
import type { Figure } from "./figures.ts";
import { type Span, timeText } from "./range.ts";

/** Points of each curve: more than there is room for says nothing. */
const POINTS_OF_ONE = 500;
const POINTS_OF_MANY = 200;
/** Points of all curves of a chart together: more take longer to draw than a person notices. Each has at least the fewest. */
const POINTS_OF_ALL = 16_000;
const FEWEST_POINTS = 80;
/** Marks of a range. More would hide one another. */
const MAX_MARKS = 400;

export interface HistoryEvents {
  readonly events: readonly HistoryEvent[];
  /** Older events of the range that are not among them. */
  readonly leftOut: number;
  /** Start of the log, ms since 1970; null: it is empty. */
  readonly oldest: number | null;
}

export interface LoadedHistory {
  readonly curves: CurveData;
  /** Hosts that could not be asked. */
  readonly away: readonly string[];
}

/** A pattern that matches this name alone. */
const literal = (name: string): string => name.replace(/[*?[]/g, (character) => `[${character}]`);

/** The subject of the view, as a request names it. `isGroup`: all members, also those that were removed. */
function selection({ name }: ViewOf<"history">, isGroup: boolean) {
  if (name === undefined) return {};
  return isGroup ? { pattern: `${literal(name)}/*` } : { names: [name] };
}

/** Curves of a span. Only the means of many processes are requested: thrice as much would have to be read. */
export async function requestCurves(
  view: ViewOf<"history">,
  span: Span,
  { figures, isMany }: { figures: readonly Figure[]; isMany: boolean },
): Promise<LoadedHistory> {
  const range = { from: timeText(span.from), until: timeText(span.until) };
  if (view.about === "host") {
    const answer = await client.request({ type: "request_host_load_history", host: view.name ?? "", ...range, points: POINTS_OF_ONE });
    return { curves: curvesOf([answer]), away: [] };
  }
  const series = figures.flatMap((figure) => figure.series.map(([key]) => key));
  const { processes, away } = await client.request({
    type: "request_load_history",
    ...selection(view, isMany),
    ...range,
    series: series as ProcessSeries[],
    ...(isMany ? { statistics: ["mean"], points: pointsOfMany(view) } : { points: POINTS_OF_ONE }),
  });
  return { curves: curvesOf(processes), away };
}

function pointsOfMany({ name }: ViewOf<"history">): number {
  const count = processNames.value.filter((each) => name === undefined || each.startsWith(`${name}/`)).length;
  return Math.max(FEWEST_POINTS, Math.min(POINTS_OF_MANY, Math.floor(POINTS_OF_ALL / Math.max(1, count))));
}

/** Events of a span: of a process every change of its state, else those that are worth a mark. */
export async function requestEvents(view: ViewOf<"history">, span: Span, isMany: boolean): Promise<HistoryEvents> {
  const { events, left_out, oldest } = await client.request({
    type: "request_history_events",
    ...(view.name === undefined ? {} : view.about === "host" ? { host: view.name } : { name: view.name }),
    from: timeText(span.from),
    until: timeText(span.until),
    ...(isMany ? { kinds: ["crash", "restart", "command", "configuration"], limit: MAX_MARKS } : {}),
  });
  return { events, leftOut: left_out, oldest: oldest === null ? null : Date.parse(`${oldest}Z`) };
}
