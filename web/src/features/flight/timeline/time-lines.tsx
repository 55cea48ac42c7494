import { placeOf } from "./axis.ts";
import type { TimeAxis } from "./use-axis.ts";

/** Something that an incident was kept for. */
export interface Cause {
  /** Seconds since 1970. */
  readonly at: number;
  readonly text: string;
}

interface Props {
  readonly causes: readonly Cause[];
  readonly axis: Pick<TimeAxis, "shown" | "time">;
}

/** The cursor and the causes, as lines over rows or plots that have this axis. */
export function TimeLines({ causes, axis: { shown, time } }: Props) {
  return (
    <div class="timeline-over" aria-hidden="true">
      <div class="timeline-lines">
        {causes.map(({ at, text }) => (
          <Line key={`${at} ${text}`} kind="is-cause" place={placeOf(at, shown)} />
        ))}
        <Line kind="is-cursor" place={placeOf(time, shown)} />
      </div>
    </div>
  );
}

function Line({ kind, place }: { kind: string; place: number }) {
  return place < 0 || place > 100 ? null : <span class={`timeline-line ${kind}`} style={{ left: `${place}%` }} />;
}
