import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { kept, shade } from "../../../state/settings.ts";
import { Button } from "../../../ui/button.tsx";
import { downloadText } from "../../../ui/download.ts";
import { Icon } from "../../../ui/icons.tsx";
import { traceColors } from "../../../ui/plot/trace-colors.ts";
import { groupsOf, type Scale } from "./scales.ts";
import { csvOf, type Trace, titleOfTrace } from "./traces.ts";
import { STATISTICS, type TraceSource, usePlot } from "./use-plot.ts";

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
  /** Name of the file that "Save as CSV" creates. */
  readonly csvName: string;
  /** Further controls. */
  readonly tools: ComponentChildren;
  readonly note: string;
}

const SCALE_WORDS: readonly (readonly [Scale, string])[] = [
  ["auto", "Scale: automatic"],
  ["one", "Scale: one for all"],
  ["stacked", "Scale: one a unit"],
];
const STATISTIC_WORDS = { min: "Min", max: "Max", mean: "Mean", deviation: "Std. dev.", count: "Samples" } as const;

const hasStatistics = kept<boolean>("plotStatistics", false, (value) => (typeof value === "boolean" ? value : null));

/** A plot of traces with their values under the pointer. */
export function PlotFrame({ traces, source, paused, onZoom, onRemove, scale, onScale, unitOf, csvName, tools, note }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const values = useRef<HTMLTableSectionElement & HTMLUListElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  const colors = traceColors(shade.value);
  const groups = groupsOf(traces, unitOf);
  const columns = usePlot({ box, values, time, traces, colors, groups, scale, source, paused, onZoom });
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
        <Button onClick={() => downloadText(csvOf(traces, columns()), "text/csv", csvName)}>Save as CSV</Button>
        <span class="grow" />
        <span class="soft plot-time" ref={time} />
      </div>
      {hasStatistics.value ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
        <section class="plot-statistics" aria-label="Statistics of what is in sight" tabIndex={0}>
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its keys are those of the pointer */}
      <div class="plot-box" ref={box} role="img" tabIndex={0} aria-label={`Plot of ${traces.map(titleOfTrace).join(", ")}`} />
      <p class="soft plot-note">{note}</p>
    </div>
  );
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
