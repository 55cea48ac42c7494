import { shownSeries } from "../../../../src/features/crash-reports/client/report-text.ts";
import type { CrashReport } from "../../../../src/features/crash-reports/wire.ts";
import { clockTime } from "../../ui/time.ts";

/** Size of a chart in its own units. */
const WIDTH = 240;
const HEIGHT = 44;

/** The load before the crash: a small chart for each series, all over the same time. */
export function LoadCharts({ resources }: { resources: NonNullable<CrashReport["resources"]> }) {
  return (
    <div class="crash-charts">
      {shownSeries(resources).map(({ title, values, most, last }) => (
        <figure key={title}>
          <figcaption>
            {title} <b>{last}</b> <span class="soft">at most {most}</span>
          </figcaption>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${title}: ${last} at the end, at most ${most}`}
          >
            {pathsOf(values).map((path) => (
              <path key={path} d={path} />
            ))}
          </svg>
        </figure>
      ))}
      <p class="soft">
        From {clockTime(resources.start)}, a point every {resources.step} s.
      </p>
    </div>
  );
}

/** A line for each stretch of points that were measured, from 0 to the largest value. */
export function pathsOf(values: readonly (number | null)[]): string[] {
  const most = Math.max(...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, values.length);
  const paths: string[] = [];
  let path = "";
  for (const [index, value] of values.entries()) {
    if (value === null) {
      if (path !== "") paths.push(path);
      path = "";
      continue;
    }
    const y = (HEIGHT - 1 - (most <= 0 ? 0 : (value / most) * (HEIGHT - 2))).toFixed(1);
    const [from, to] = [(index * step).toFixed(1), ((index + 1) * step).toFixed(1)];
    path += `${path === "" ? "M" : "L"}${from} ${y}H${to}`;
  }
  return path === "" ? paths : [...paths, path];
}
