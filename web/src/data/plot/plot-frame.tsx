import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { shade } from "../../app/settings.ts";
import { Button } from "../../ui/button.tsx";
import { downloadText } from "../../ui/download.ts";
import { Icon } from "../../ui/icons.tsx";
import { traceColors } from "./trace-colors.ts";
import { csvOf, type Trace, titleOfTrace } from "./traces.ts";
import { type TraceSource, usePlot } from "./use-plot.ts";

interface Props {
  readonly traces: readonly Trace[];
  readonly source: TraceSource;
  readonly paused: boolean;
  readonly onZoom: () => void;
  readonly onRemove: (trace: Trace) => void;
  /** Of the file that "Save as CSV" makes. */
  readonly csvName: string;
  /** What can be done, besides. */
  readonly tools: ComponentChildren;
  readonly note: string;
}

/** A plot of traces with their values under the pointer. */
export function PlotFrame({ traces, source, paused, onZoom, onRemove, csvName, tools, note }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const values = useRef<HTMLUListElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  const colors = traceColors(shade.value);
  const columns = usePlot({ box, values, time, traces, colors, source, paused, onZoom });
  return (
    <div class="plot">
      <div class="plot-tools">
        {tools}
        <Button onClick={() => downloadText(csvOf(traces, columns()), "text/csv", csvName)}>Save as CSV</Button>
        <span class="grow" />
        <span class="soft plot-time" ref={time} />
      </div>
      <ul class="plot-traces" aria-label="Plotted traces" ref={values}>
        {traces.map((trace, index) => (
          <li key={titleOfTrace(trace)}>
            <button
              type="button"
              title={`Remove ${titleOfTrace(trace)} from the plot`}
              onClick={() => onRemove(trace)}
              style={{ "--trace": colors[index] }}
            >
              <span class="trace-color" />
              <span class="unseen">{titleOfTrace(trace)}</span>
              <span class="trace-topic" aria-hidden="true">
                {trace.topic}
              </span>
              <span class="trace-field" aria-hidden="true">
                {trace.field === "" ? "" : `.${trace.field}`}
              </span>
              <span class="trace-value" aria-hidden="true" />
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its keys are those of the pointer */}
      <div class="plot-box" ref={box} role="img" tabIndex={0} aria-label={`Plot of ${traces.map(titleOfTrace).join(", ")}`} />
      <p class="soft plot-note">{note}</p>
    </div>
  );
}
