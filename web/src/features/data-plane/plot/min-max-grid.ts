import type { TraceSamples } from "./trace-samples.ts";

type Column = (number | null)[];

/**
 * The minimum and maximum of each field in each of about `steps` equal spans of time, which is all that a plot of that many pixels can show.
 * Returns the times, then the columns of the fields in the order of `all`.
 */
export function minMaxGrid(all: readonly TraceSamples[], span: { from: number; until: number; steps: number }): [number[], ...Column[]] {
  const width = (span.until - span.from) / span.steps;
  // Steps begin at multiples of their width: while the window moves, a sample stays in its step, and the picture does not flicker.
  const from = Math.floor(span.from / width) * width;
  const steps = Math.ceil((span.until - from) / width) + 1;
  const times = Array.from({ length: 2 * steps }, (_, row) => from + (row * width) / 2);
  return [times, ...all.flatMap((samples) => columnsOf(samples, { from, until: span.until, width, steps }))];
}

function columnsOf(samples: TraceSamples, grid: { from: number; until: number; width: number; steps: number }): Column[] {
  const views = samples.views(grid.from, grid.until).map(({ times, columns }) => ({
    columns,
    // Computed once for all fields.
    steps: stepsOf(times, grid),
  }));
  return samples.fields.map((_, field) => {
    const least = new Float64Array(grid.steps).fill(Number.POSITIVE_INFINITY);
    const greatest = new Float64Array(grid.steps).fill(Number.NEGATIVE_INFINITY);
    for (const { columns, steps } of views) {
      const values = columns[field] ?? new Float64Array();
      for (let row = 0; row < values.length; row++) {
        const [value, step] = [values[row] ?? 0, steps[row] ?? 0];
        // Math.min would return NaN, which means no value.
        if (value < (least[step] ?? 0)) least[step] = value;
        if (value > (greatest[step] ?? 0)) greatest[step] = value;
      }
    }
    return columnOf(least, greatest);
  });
}

/** The step of each sample. A loop, since `Int32Array.from` with a function takes ten times as long. */
function stepsOf(times: Float64Array, { from, width }: { from: number; width: number }): Int32Array {
  const steps = new Int32Array(times.length);
  for (let row = 0; row < times.length; row++) steps[row] = Math.floor(((times[row] ?? 0) - from) / width);
  return steps;
}

/** The column of a field. A step with one value has one point: two equal points would be drawn as a stair. */
function columnOf(least: Float64Array, greatest: Float64Array): Column {
  const column: Column = new Array(2 * least.length).fill(null);
  for (let step = 0; step < least.length; step++) {
    const [low, high] = [least[step] ?? 0, greatest[step] ?? 0];
    if (low > high) continue;
    column[2 * step] = low;
    if (high > low) column[2 * step + 1] = high;
  }
  return column;
}
