import { useMemo } from "preact/hooks";
import type { Span } from "../../../ui/plot/finger-span.ts";
import { placeOf } from "./axis.ts";
import { type Curve, valueUntil } from "./curves.ts";
import type { TimeAxis } from "./use-axis.ts";

/** Height of a curve in its own units. */
const CURVE_HEIGHT = 100;

interface Props {
  readonly label: string;
  readonly curves: readonly Curve[];
  readonly axis: Pick<TimeAxis, "shown" | "time">;
}

/** A row for each curve, with its value at the cursor. */
export function CurveRows({ label, curves, axis: { shown, time } }: Props) {
  const drawn = useMemo(() => curves.map((curve) => ({ ...curve, path: pathOf(curve, shown) })), [curves, shown]);
  return (
    <section class="timeline-curves" aria-label={label}>
      {drawn.map((curve) => {
        const value = valueUntil(curve, time);
        return (
          <div key={curve.title} class="timeline-row">
            <span class="timeline-figure" title={curve.title}>
              <span class="soft">{curve.title}</span> <b>{value === null ? "–" : curve.text(value)}</b>
            </span>
            <svg class="timeline-track" viewBox={`0 0 100 ${CURVE_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              <path d={curve.path} />
            </svg>
          </div>
        );
      })}
    </section>
  );
}

/** A line from sample to sample, from 0 up to the largest one; a point for a single one. */
function pathOf({ points }: Curve, shown: Span): string {
  const most = points.reduce((largest, { value }) => Math.max(largest, value), 0) || 1;
  const places = points.map(({ time, value }) => {
    const height = CURVE_HEIGHT * (0.95 - (0.85 * value) / most);
    return `${placeOf(time, shown).toFixed(2)} ${height.toFixed(1)}`;
  });
  return places.length === 1 ? `M${places[0]}h0` : `M${places.join("L")}`;
}
