import type { TargetedPointerEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import { isNarrow } from "../../../ui/browser/screen.ts";
import { Button } from "../../../ui/button.tsx";
import type { Span } from "../../../ui/plot/finger-span.ts";
import { clockSeconds } from "../../../ui/time.ts";
import type { RecordedMessage } from "../../recordings/file/recorded-file.ts";
import { placeOf, ticksOf } from "./axis.ts";
import { CurveRows } from "./curve-rows.tsx";
import { loadCurves, networkCurves } from "./curves.ts";
import { type Lane, lanesOf } from "./lanes.ts";
import { type Cause, TimeLines } from "./time-lines.tsx";
import type { TimeAxis } from "./use-axis.ts";

/** Decimal places of the seconds of the cursor's time. */
const DIGITS = 2;
/** Place of the last tick whose text has room behind it, percent. */
const MAX_TEXT_PLACE = 88;
/** Processes that are listed at first: those that failed, then others that changed; and network figures. */
const MAX_LISTED = 12;
const MAX_NETWORK = 6;

interface Props {
  readonly messages: readonly RecordedMessage[];
  readonly axis: TimeAxis;
  readonly causes: readonly Cause[];
  /** The process whose load is shown. */
  readonly process: string | null;
  readonly onProcess: (name: string) => void;
}

/** States of processes, load and network figures on one time axis, with the cursor. */
export function Timeline({ messages, axis, causes, process, onProcess }: Props) {
  const { whole, shown, time } = axis;
  const [showsAll, setShowsAll] = useState(false);
  const [showsNetwork, setShowsNetwork] = useState(false);
  const lanes = useMemo(() => lanesOf(messages, whole), [messages]);
  const load = useMemo(() => loadCurves(messages, process), [messages, process]);
  const network = useMemo(() => networkCurves(messages), [messages]);
  const shownNetwork = useMemo(() => (showsNetwork ? network : network.slice(0, MAX_NETWORK)), [network, showsNetwork]);
  const [cause] = causes;
  const onPointer = (event: TargetedPointerEvent<HTMLElement>) => {
    if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
    else if (event.buttons === 0) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (width > 0) axis.move(shown.from + ((event.clientX - left) / width) * (shown.until - shown.from));
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
        {cause !== undefined && (
          <Button title="Moves the cursor to the first cause (Enter)" onClick={() => axis.move(cause.at)}>
            Go to cause
          </Button>
        )}
        <Button title="Zoom in at the cursor (+)" onClick={() => axis.zoom("in")}>
          Zoom in
        </Button>
        <Button title="Zoom out (-)" enabled={shown.until - shown.from < whole.until - whole.from} onClick={() => axis.zoom("out")}>
          Zoom out
        </Button>
        <span class="grow" />
        {first.length < lanes.length && (
          <Button pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {`Show all ${lanes.length} processes`}
          </Button>
        )}
        {network.length > MAX_NETWORK && (
          <Button pressed={showsNetwork} onClick={() => setShowsNetwork(!showsNetwork)}>
            {`Show all ${network.length} network figures`}
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
            onKeyDown={axis.press}
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
        <CurveRows label="Load" curves={load} axis={axis} />
        <CurveRows label="Network" curves={shownNetwork} axis={axis} />
        <TimeLines causes={causes} axis={axis} />
      </div>
      <p class="soft timeline-legend">
        <span class="timeline-cause-sign">◆</span> Cause. Arrow keys move the cursor, with Shift further; Home and End to the ends, Enter to
        the cause. + and − zoom, 0 shows all.
      </p>
    </section>
  );
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
