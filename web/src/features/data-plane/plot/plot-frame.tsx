import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { kept, shade } from "../../../state/settings.ts";
import { downloadBlob, downloadText } from "../../../ui/browser/download.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/marks/icons.tsx";
import type { Span } from "../../../ui/plot/finger-span.ts";
import { traceColors } from "../../../ui/plot/trace-colors.ts";
import { clockSeconds } from "../../../ui/time.ts";
import { complain } from "../../../ui/toasts.ts";
import { CursorBar } from "./cursor-bar.tsx";
import { type Cursors, readCursors, timesOfCursors, USUAL_CURSORS } from "./cursors.ts";
import type { Mark } from "./marks.ts";
import { pictureOf } from "./picture.ts";
import { groupsOf, type Scale } from "./scales.ts";
import { csvOf, type Trace, titleOfTrace } from "./traces.ts";
import { type SharedAxis, STATISTICS, type TraceSource, usePlot } from "./use-plot.ts";

interface Props {
  readonly traces: readonly Trace[];
  readonly source: TraceSource;
  readonly paused: boolean;
  readonly onZoom: () => void;
  readonly onRemove: (trace: Trace) => void;
  readonly scale: Scale;
  readonly onScale: (scale: Scale) => void;
  /** The unit of a trace; null if it is not known. */
  readonly unitOf: (trace: Trace) => string | null;
  /** Name of the files that "Save as CSV" and "Save as PNG" create, without its extension. */
  readonly fileName: string;
  /** Further controls. */
  readonly tools: ComponentChildren;
  /** Settings below the controls. */
  readonly settings?: ComponentChildren;
  /** The times that are marked. */
  readonly marks?: () => readonly Mark[];
  /** Left out: the plot has an axis of its own. */
  readonly axis?: SharedAxis;
  /** Drawn over the panels, such as lines at times of the shared axis. */
  readonly over?: ComponentChildren;
  readonly note: string;
}

const SCALE_WORDS: readonly (readonly [Scale, string])[] = [
  ["auto", "Scale: automatic"],
  ["one", "Scale: one for all"],
  ["stacked", "Scale: one a unit"],
];
/** Decimal places of the seconds above a picture. */
const HEADING_DIGITS = 3;
const STATISTIC_WORDS = {
  min: "Min",
  max: "Max",
  mean: "Mean",
  rms: "RMS",
  deviation: "Std. dev.",
  count: "Samples",
  rate: "Rate, Hz",
} as const;

const hasStatistics = kept<boolean>("plotStatistics", false, (value) => (typeof value === "boolean" ? value : null));
/** The cursors of plots; null if they are off. */
const cursors = kept<Cursors | null>("plotCursors", null, readCursors);

/** A plot of traces with their values under the pointer. */
export function PlotFrame(props: Props) {
  const { traces, source, paused, onZoom, onRemove, scale, onScale, unitOf, fileName, tools, settings, axis = null, over, note } = props;
  const box = useRef<HTMLDivElement>(null);
  const values = useRef<HTMLTableSectionElement & HTMLUListElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  const delta = useRef<HTMLSpanElement>(null);
  const colors = traceColors(shade.value);
  const groups = groupsOf(traces, unitOf);
  const places = cursors.value;
  const marks = (visible: Span) => [...(props.marks?.() ?? []), ...marksOf(places, visible)];
  const view = { box, values, time, delta, traces, colors, groups, scale, source, paused, onZoom, cursors: places, marks, axis };
  const { columns, drawn } = usePlot(view);
  const savePicture = async () => {
    const shown = drawn();
    if (shown === null || box.current === null) return;
    const [from, until] = [shown.span.from, shown.span.until].map((at) => clockSeconds(at, HEADING_DIGITS));
    const heading = `${new Date(shown.span.from * 1_000).toLocaleDateString()}, ${from} to ${until}`;
    const legend = traces.map((trace, index) => {
      const unit = unitOf(trace);
      return { title: titleOfTrace(trace) + (unit === null ? "" : ` (${unit})`), color: colors[index] ?? "gray" };
    });
    downloadBlob(await pictureOf({ canvases: shown.canvases, legend, heading, styled: box.current }), `${fileName}.png`);
  };
  const entryOf = (trace: Trace, index: number) => (
    <TraceButton trace={trace} unit={unitOf(trace)} color={colors[index] ?? "gray"} onRemove={() => onRemove(trace)} />
  );
  return (
    <div class="plot">
      <div class="plot-tools">
        {tools}
        <select aria-label="Scale" value={scale} onChange={(event) => onScale(event.currentTarget.value as Scale)}>
          {SCALE_WORDS.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        <Button
          pressed={hasStatistics.value}
          onClick={() => {
            hasStatistics.value = !hasStatistics.value;
          }}
        >
          Statistics
        </Button>
        <Button
          pressed={places !== null}
          onClick={() => {
            cursors.value = places === null ? USUAL_CURSORS : null;
          }}
        >
          Cursors
        </Button>
        <Button onClick={() => downloadText(csvOf(traces, columns()), "text/csv", `${fileName}.csv`)}>Save as CSV</Button>
        <Button onClick={() => void savePicture().catch(complain)}>Save as PNG</Button>
        <span class="grow" />
        <span class="soft plot-time" ref={time} />
      </div>
      {settings}
      {places !== null && (
        <CursorBar
          places={places}
          delta={delta}
          onMove={(moved) => {
            cursors.value = moved;
          }}
        />
      )}
      {hasStatistics.value ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
        <section class="plot-statistics" aria-label={`Statistics ${places ? "between the cursors" : "of what is in sight"}`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Trace and value</th>
                {STATISTICS.map((name) => (
                  <th key={name} class="number" scope="col">
                    {STATISTIC_WORDS[name]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody aria-label="Plotted traces" ref={values}>
              {traces.map((trace, index) => (
                <tr key={titleOfTrace(trace)}>
                  <td>{entryOf(trace, index)}</td>
                  {STATISTICS.map((name) => (
                    <td key={name} class="number trace-statistic" />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : (
        <ul class="plot-traces" aria-label="Plotted traces" ref={values}>
          {traces.map((trace, index) => (
            <li key={titleOfTrace(trace)}>{entryOf(trace, index)}</li>
          ))}
        </ul>
      )}
      <div class="plot-panels" style={{ "--panels": groups.length }}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its keys are those of the pointer */}
        <div class="plot-box" ref={box} role="img" tabIndex={0} aria-label={`Plot of ${traces.map(titleOfTrace).join(", ")}`} />
        {over}
      </div>
      <p class="soft plot-note">{note}</p>
    </div>
  );
}

function marksOf(places: Cursors | null, visible: Span): readonly Mark[] {
  if (places === null) return [];
  const [a, b] = timesOfCursors(places, visible);
  return [
    { time: a, text: "A" },
    { time: b, text: "B" },
  ];
}

/** An entry of the legend: the trace's name and value. A click removes the trace. */
function TraceButton({ trace, unit, color, onRemove }: { trace: Trace; unit: string | null; color: string; onRemove: () => void }) {
  const title = titleOfTrace(trace);
  return (
    <button type="button" title={`Remove ${title} from the plot`} onClick={onRemove} style={{ "--trace": color }}>
      <span class="trace-color" />
      <span class="unseen">{title}</span>
      <span class="trace-topic" aria-hidden="true">
        {trace.topic}
      </span>
      <span class="trace-field" aria-hidden="true">
        {trace.field === "" ? "" : `.${trace.field}`}
      </span>
      <span class="trace-value" aria-hidden="true" />
      <span class="trace-unit soft" aria-hidden="true">
        {unit}
      </span>
      <Icon name="close" />
    </button>
  );
}
