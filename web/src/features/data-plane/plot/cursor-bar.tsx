import type { RefObject } from "preact";
import type { Cursors } from "./cursors.ts";

interface Props {
  readonly places: Cursors;
  /** Where the time between the cursors is written. */
  readonly delta: RefObject<HTMLSpanElement | null>;
  readonly onMove: (places: Cursors) => void;
}

/** Distance that an arrow key moves a cursor, as a fraction of the width. */
const STEP = 0.002;

/** Two sliders that move the cursors, by mouse, finger or arrow keys. */
export function CursorBar({ places, delta, onMove }: Props) {
  const [a, b] = places;
  return (
    <fieldset class="plot-bar plot-cursors">
      <legend class="unseen">Cursors</legend>
      <CursorSlider name="A" place={a} onMove={(moved) => onMove([moved, b])} />
      <CursorSlider name="B" place={b} onMove={(moved) => onMove([a, moved])} />
      <span class="soft plot-delta" ref={delta} />
    </fieldset>
  );
}

function CursorSlider({ name, place, onMove }: { name: string; place: number; onMove: (place: number) => void }) {
  return (
    <label>
      {name}
      <input
        type="range"
        min={0}
        max={1}
        step={STEP}
        aria-label={`Cursor ${name}`}
        aria-valuetext={`${Math.round(place * 100)} % of the width`}
        value={place}
        onInput={(event) => onMove(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}
