import type { TraceSamples } from "./traces.ts";

type Column = (number | null)[];

/**
 * The least and the greatest value of each field in each of about `steps` equal spans of time: what a plot of that many pixels can show of any
 * number of samples. Times, then the columns of the fields in the order of `all`.
 */
export function minMaxGrid(all: readonly TraceSamples[], span: { from: number; until: number; steps: number }): [number[], ...Column[]] {
  const width = (span.until - span.from) / span.steps;
  // At multiples of the width: while the window moves, a sample stays in its step, and the picture does not flicker.
  const from = Math.floor(span.from / width) * width;
  const steps = Math.ceil((span.until - from) / width) + 1;
  const times = Array.from({ length: 2 * steps }, (_, row) => from + (row * width) / 2);
  return [times, ...all.flatMap((samples) => columnsOf(samples, { from, until: span.until, width, steps }))];
}

function columnsOf(samples: TraceSamples, grid: { from: number; until: number; width: number; steps: number }): Column[] {
  const { from, until, width, steps } = grid;
  const { times } = samples;
  const first = samples.indexAt(from);
  return samples.values.map((values) => {
    const column: Column = new Array(2 * steps).fill(null);
    for (let row = first; row < times.length; row++) {
      const time = times[row] ?? 0;
      if (time > until) break;
      const value = values[row] ?? null;
      if (value === null) continue;
      const at = 2 * Math.floor((time - from) / width);
      const least = column[at] ?? null;
      if (least === null) column[at] = value;
      else {
        const greatest = column[at + 1] ?? least;
        column[at] = Math.min(least, value);
        column[at + 1] = Math.max(greatest, value);
      }
    }
    return column;
  });
}
