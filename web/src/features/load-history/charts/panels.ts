import type { Figure } from "../figures.ts";
import type { Span } from "../range.ts";
import { type Column, type CurveData, type Line, meanOf, type SeriesColumns, sumOf } from "./curve-data.ts";

/** One curve of a panel. */
export interface Curve {
  readonly label: string;
  readonly color: string;
  readonly values: Column;
  /** Minimum and maximum of each point, which are shaded. */
  readonly band: { readonly low: Column; readonly high: Column } | null;
  /** One of many, drawn behind the others. */
  readonly isFaint?: boolean;
}

/** Curves with one scale of values. */
export interface PlotPanel {
  readonly figure: Figure;
  readonly curves: readonly Curve[];
}

/** The panels of one process or of a machine: a curve with its band for each series. A figure that was never measured has no panel. */
export function panelsOfOne({ lines }: CurveData, figures: readonly Figure[], colors: readonly string[]): PlotPanel[] {
  return figures.flatMap((figure) => {
    const curves = figure.series.flatMap(([series, label], at) =>
      // A process that has moved has a line for each of its hosts.
      lines.flatMap((line): Curve[] => {
        const columns = line.series.get(series);
        if (columns === undefined || !columns.mean.some((value) => typeof value === "number")) return [];
        const names = [label, lines.length > 1 ? line.host : ""].filter((each) => each !== "");
        return [{ label: names.join(", "), color: colors[at] ?? "gray", values: columns.mean, band: bandOf(columns) }];
      }),
    );
    return curves.length === 0 ? [] : [{ figure, curves }];
  });
}

const bandOf = ({ min, max }: SeriesColumns) => (min === null || max === null ? null : { low: min, high: max });

/** A process of a group: its curves, and the mean of each figure over the visible time. */
export interface Member {
  readonly name: string;
  readonly host: string;
  /** By the key of a figure. */
  readonly values: ReadonlyMap<string, Column>;
  readonly means: ReadonlyMap<string, number>;
}

/** The processes of a group that were measured. */
export function membersOf({ times, lines }: CurveData, figures: readonly Figure[], visible: Span): Member[] {
  const span = { from: visible.from / 1_000, until: visible.until / 1_000 };
  const members = lines.map((line): Member => {
    const values = new Map(
      figures.flatMap((figure) => (valuesOf(line, figure) === null ? [] : [[figure.key, valuesOf(line, figure) ?? []]])),
    );
    const means = new Map([...values].flatMap(([key, column]) => toEntry(key, meanOf(times, column, span))));
    return { name: line.name, host: line.host, values, means };
  });
  return members.filter(({ means }) => means.size > 0);
}

export const keyOfMember = ({ name, host }: { name: string; host: string }): string => `${name}\n${host}`;

/** The keys of members with their ranks: those that use the most of a figure come first. */
export function ranksOf(members: readonly Member[], by: string): ReadonlyMap<string, number> {
  const greed = ({ means }: Member) => means.get(by) ?? Number.NEGATIVE_INFINITY;
  const sorted = members.toSorted((a, b) => greed(b) - greed(a) || (a.name < b.name ? -1 : 1));
  return new Map(sorted.map((member, rank) => [keyOfMember(member), rank]));
}

/** Members by their ranks; new ones come last. */
export const inOrder = (members: readonly Member[], ranks: ReadonlyMap<string, number>): Member[] =>
  members.toSorted((a, b) => (ranks.get(keyOfMember(a)) ?? ranks.size) - (ranks.get(keyOfMember(b)) ?? ranks.size));

const toEntry = (key: string, mean: number | null): [string, number][] => (mean === null ? [] : [[key, mean]]);

function valuesOf(line: Line, { series: [first, second] }: Figure): Column | null {
  return sumOf(line.series.get(first?.[0] ?? ""), line.series.get(second?.[0] ?? ""))?.mean ?? null;
}

/** The panels of a group: the first members have a colour each, the others are drawn faintly behind them, and those after `most` not at all. */
export function panelsOfGroup(
  members: readonly Member[],
  figures: readonly Figure[],
  { colors, faint, most }: { colors: readonly string[]; faint: string; most: number },
): PlotPanel[] {
  return figures.map((figure) => {
    const curves = members.slice(0, most).flatMap(({ name, values }, rank): Curve[] => {
      const column = values.get(figure.key);
      const color = colors[rank];
      return column === undefined ? [] : [{ label: name, color: color ?? faint, values: column, band: null, isFaint: color === undefined }];
    });
    // The last curve that is drawn is in front.
    return { figure, curves: curves.reverse() };
  });
}
