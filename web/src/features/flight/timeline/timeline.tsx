import type { TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { IncidentTrigger } from "../../../../../src/features/flight/wire.ts";
import { Button } from "../../../ui/button.tsx";
import type { Span } from "../../../ui/plot/finger-span.ts";
import { isNarrow } from "../../../ui/screen.ts";
import { clockSeconds, millisecondsOf } from "../../../ui/time.ts";
import type { RecordedMessage } from "../../recordings/file/recorded-file.ts";
import { inside, placeOf, ticksOf, timeAfterKey, withTime, zoomed } from "./axis.ts";
import { type Lane, lanesOf } from "./lanes.ts";
import { type LoadCurve, loadCurves, valueUntil } from "./load.ts";

/** Decimal places of the seconds of the cursor's time. */
const DIGITS = 2;
const ZOOM = 2;
/** Place of the last tick whose text has room behind it, percent. */
const MAX_TEXT_PLACE = 88;
/** Processes that are listed at first: those that failed, then others that changed. */
const MAX_LISTED = 12;
/** Height of a curve in its own units. */
const CURVE_HEIGHT = 100;

interface Props {
  readonly messages: readonly RecordedMessage[];
  /** The whole time, seconds since 1970. */
  readonly whole: Span;
  readonly triggers: readonly IncidentTrigger[];
  readonly time: number;
  readonly onTime: (time: number) => void;
  /** The process whose load is shown. */
  readonly process: string | null;
  readonly onProcess: (name: string) => void;
}

/** States of processes and load on one time axis, with the cursor. */
export function Timeline({ messages, whole, triggers, time, onTime, process, onProcess }: Props) {
  const [span, setSpan] = useState(whole);
  const [showsAll, setShowsAll] = useState(false);
  const lanes = useMemo(() => lanesOf(messages, whole), [messages]);
  const curves = useMemo(() => loadCurves(messages, process), [messages, process]);
  const causes = triggers.map(({ time: at, text }) => ({ at: millisecondsOf(at) / 1_000, text }));
  const cause = inside(causes[0]?.at ?? whole.until, whole);
  const shown = useMemo(() => withTime(span, time), [span, time]);
  const move = (to: number) => {
    setSpan(withTime(shown, to));
    onTime(to);
  };
  const zoom = (factor: number) => setSpan(zoomed(shown, { factor, around: time }, whole));
  const onKey = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = timeAfterKey(event, { time, shown, whole, cause });
    if (to !== null) move(to);
    else if (event.key === "+" || event.key === "=") zoom(ZOOM);
    else if (event.key === "-") zoom(1 / ZOOM);
    else if (event.key === "0") setSpan(whole);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointer = (event: TargetedPointerEvent<HTMLElement>) => {
    if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
    else if (event.buttons === 0) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (width > 0) move(inside(shown.from + ((event.clientX - left) / width) * (shown.until - shown.from), whole));
  };
  const changed = lanes.filter(({ hasChanged }) => hasChanged);
  const first = changed.slice(0, MAX_LISTED);
  const listed = showsAll ? lanes : first;
  const rows = useMemo(
    () => listed.map((lane) => <LaneRow key={lane.name} lane={lane} shown={shown} onPick={onProcess} />),
    [lanes, showsAll, shown],
  );
  const cursorText = clockSeconds(time, DIGITS);
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-tools">
        <output>{cursorText}</output>
        {causes.length > 0 && (
          <Button title="Moves the cursor to the first cause (Enter)" onClick={() => move(cause)}>
            Go to cause
          </Button>
        )}
        <Button title="Zoom in at the cursor (+)" onClick={() => zoom(ZOOM)}>
          Zoom in
        </Button>
        <Button title="Zoom out (-)" enabled={shown.until - shown.from < whole.until - whole.from} onClick={() => zoom(1 / ZOOM)}>
          Zoom out
        </Button>
        <span class="grow" />
        {first.length < lanes.length && (
          <Button pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {`Show all ${lanes.length} processes`}
          </Button>
        )}
      </div>
      <div class="timeline-rows">
        <div class="timeline-row timeline-head">
          <span class="soft">Time</span>
          <div
            class="timeline-track timeline-axis"
            role="slider"
            tabIndex={0}
            aria-label="Moment"
            aria-valuemin={0}
            aria-valuemax={Math.round((whole.until - whole.from) * 1_000)}
            aria-valuenow={Math.round((time - whole.from) * 1_000)}
            aria-valuetext={cursorText}
            onKeyDown={onKey}
            onPointerDown={onPointer}
            onPointerMove={onPointer}
          >
            {ticksOf(shown, isNarrow.value ? 3 : 8).map(({ place, text }) => (
              <span key={text} class="timeline-tick" style={{ left: `${place}%` }}>
                {place <= MAX_TEXT_PLACE && text}
              </span>
            ))}
          </div>
        </div>
        <section class="timeline-lanes" aria-label="States of processes">
          {rows}
          {listed.length === 0 && <p class="soft">No process changed its state.</p>}
        </section>
        <CurveRows curves={curves} shown={shown} time={time} />
        <div class="timeline-over" aria-hidden="true">
          <div class="timeline-lines">
            {causes.map(({ at, text }) => (
              <Line key={`${at} ${text}`} kind="is-cause" place={placeOf(at, shown)} />
            ))}
            <Line kind="is-cursor" place={placeOf(time, shown)} />
          </div>
        </div>
      </div>
      <p class="soft timeline-legend">
        <span class="timeline-cause-sign">◆</span> Cause. Arrow keys move the cursor, with Shift further; Home and End to the ends, Enter to
        the cause. + and − zoom, 0 shows all.
      </p>
    </section>
  );
}

function Line({ kind, place }: { kind: string; place: number }) {
  return place < 0 || place > 100 ? null : <span class={`timeline-line ${kind}`} style={{ left: `${place}%` }} />;
}

function LaneRow({ lane: { name, segments }, shown, onPick }: { lane: Lane; shown: Span; onPick: (name: string) => void }) {
  return (
    <div class="timeline-row">
      <button type="button" class="timeline-name" title={`Show the terminal and load of ${name}`} onClick={() => onPick(name)}>
        {name}
      </button>
      <div
        class="timeline-track"
        role="img"
        aria-label={`${name}: ${segments.map(({ from, text }) => `${text} from ${clockSeconds(from, DIGITS)}`).join(", ")}`}
      >
        {segments.map(({ from, until, state, text }) => {
          const left = Math.max(0, placeOf(from, shown));
          const right = Math.min(100, placeOf(until, shown));
          return right < 0 || left > 100 ? null : (
            <span
              key={`${from} ${state}`}
              class={`lane-part lane-${state}`}
              style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}
              title={text}
            >
              <span>{text}</span>
            </span>
          );
        })}
      </div>
    </div>
  );
}

function CurveRows({ curves, shown, time }: { curves: readonly LoadCurve[]; shown: Span; time: number }) {
  const drawn = useMemo(() => curves.map((curve) => ({ ...curve, path: pathOf(curve, shown) })), [curves, shown]);
  return (
    <section class="timeline-load" aria-label="Load">
      {drawn.map((curve) => {
        const value = valueUntil(curve, time);
        return (
          <div key={curve.title} class="timeline-row">
            <span class="timeline-figure">
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

/** A line from sample to sample, from 0 up to the largest one. */
function pathOf({ points }: LoadCurve, shown: Span): string {
  const most = Math.max(...points.map(({ value }) => value)) || 1;
  return points
    .map(({ time, value }, index) => {
      const height = CURVE_HEIGHT * (0.95 - (0.85 * value) / most);
      return `${index === 0 ? "M" : "L"}${placeOf(time, shown).toFixed(2)} ${height.toFixed(1)}`;
    })
    .join("");
}
