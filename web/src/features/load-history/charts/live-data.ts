import type { LoadFigures } from "../../../../../src/features/load-history/wire.ts";
import type { Column, CurveData, Line, SeriesColumns } from "./curve-data.ts";

/** A measurement of one process, live. */
export interface Sample {
  readonly name: string;
  readonly host: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly load: LoadFigures;
}

/** Samples that are kept at most: 200 processes for a minute, until history has them. */
const MAX_SAMPLES = 20_000;
/** Unfinished points at the end of an answer that are no gaps: the newest measurements are still to come. */
const MAX_UNFINISHED = 2;

/** The newest samples that a history does not have yet. */
export class LiveSamples {
  #samples: Sample[] = [];

  add(sample: Sample): void {
    this.#samples.push(sample);
    if (this.#samples.length > MAX_SAMPLES) this.#samples.splice(0, MAX_SAMPLES >> 2);
  }

  /** The time of the newest sample, seconds since 1970; null: there is none. */
  get newest(): number | null {
    return this.#samples.at(-1)?.time ?? null;
  }

  /** A history with the samples after its end. */
  appendTo(data: CurveData): CurveData {
    const ended = withoutUnfinished(data);
    const end = ended.times.at(-1) ?? Number.NEGATIVE_INFINITY;
    const samples = this.#samples.filter(({ time }) => time > end);
    this.#samples = samples;
    if (samples.length === 0) return ended;
    const added = [...new Set(samples.map(({ time }) => time))].sort((a, b) => a - b);
    const places = new Map(added.map((time, index) => [time, index]));
    const own = new Map<string, Sample[]>();
    for (const sample of samples) {
      const known = own.get(keyOf(sample));
      if (known === undefined) own.set(keyOf(sample), [sample]);
      else known.push(sample);
    }
    const lines = ended.lines.map((line) => extended(line, own.get(keyOf(line)) ?? [], places));
    return { ...ended, times: [...ended.times, ...added], lines };
  }
}

const keyOf = ({ name, host }: { name: string; host: string }) => `${name}\n${host}`;

function extended(line: Line, samples: readonly Sample[], places: ReadonlyMap<number, number>): Line {
  const series = [...line.series].map(([key, columns]): [string, SeriesColumns] => {
    const more: Column = new Array(places.size).fill(undefined);
    for (const { time, load } of samples) more[places.get(time) ?? 0] = load[key as keyof LoadFigures] ?? null;
    return [
      key,
      { mean: [...columns.mean, ...more], min: columns.min && [...columns.min, ...more], max: columns.max && [...columns.max, ...more] },
    ];
  });
  return { ...line, series: new Map(series) };
}

/** Leaves out the last points where no line has a value: they are not measured yet. */
function withoutUnfinished(data: CurveData): CurveData {
  let count = data.times.length;
  const isEmpty = (index: number) => data.lines.every(({ series }) => [...series.values()].every(({ mean }) => mean[index] == null));
  while (count > 0 && data.times.length - count < MAX_UNFINISHED && isEmpty(count - 1)) count--;
  if (count === data.times.length) return data;
  const cut = <C extends Column | null>(column: C) => (column === null ? null : column.slice(0, count)) as C;
  const lines = data.lines.map((line) => ({
    ...line,
    series: new Map([...line.series].map(([key, { mean, min, max }]) => [key, { mean: cut(mean), min: cut(min), max: cut(max) }])),
  }));
  return { ...data, times: data.times.slice(0, count), lines };
}
