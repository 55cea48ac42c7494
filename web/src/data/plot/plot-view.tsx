import { useRef, useState } from "preact/hooks";
import { linkTo } from "../../app/navigation.ts";
import { shade } from "../../app/settings.ts";
import { Button } from "../../ui/button.tsx";
import { downloadText } from "../../ui/download.ts";
import { Icon } from "../../ui/icons.tsx";
import { plotted, togglePlotted } from "./plotted.ts";
import { traceColors } from "./trace-colors.ts";
import { csvOf, titleOfTrace } from "./traces.ts";
import { usePlot } from "./use-plot.ts";

const WINDOWS: readonly (readonly [number, string])[] = [
  [5, "5 s"],
  [10, "10 s"],
  [30, "30 s"],
  [60, "1 min"],
  [300, "5 min"],
];

/** Live traces of numeric fields of any topics. */
export function PlotView() {
  const traces = plotted.value;
  const [seconds, setSeconds] = useState(10);
  const [paused, setPaused] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const values = useRef<HTMLUListElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  const colors = traceColors(shade.value);
  const columns = usePlot({ box, values, time, traces, colors, seconds, paused, onZoom: () => setPaused(true) });
  if (traces.length === 0)
    return (
      <p class="empty nothing">
        Nothing is plotted. Select a <a {...linkTo({ kind: "topics" })}>topic</a> and add its fields.
      </p>
    );
  return (
    <div class="plot">
      <div class="plot-tools">
        <select aria-label="Length of the window" value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>
          {WINDOWS.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        <Button pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? "Resume" : "Pause"}
        </Button>
        <Button onClick={() => downloadText(csvOf(traces, columns()), "text/csv", "plot.csv")}>Save as CSV</Button>
        <span class="grow" />
        <span class="soft plot-time" ref={time} />
      </div>
      <ul class="plot-traces" aria-label="Plotted traces" ref={values}>
        {traces.map((trace, index) => (
          <li key={titleOfTrace(trace)}>
            <button
              type="button"
              title={`Remove ${titleOfTrace(trace)} from the plot`}
              aria-label={titleOfTrace(trace)}
              onClick={() => togglePlotted(trace)}
              style={{ "--trace": colors[index] }}
            >
              <span class="trace-color" />
              <span class="trace-topic">{trace.topic}</span>
              <span class="trace-field">{trace.field === "" ? "" : `.${trace.field}`}</span>
              <span class="trace-value" />
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its keys are those of the pointer */}
      <div class="plot-box" ref={box} role="img" tabIndex={0} aria-label={`Plot of ${traces.map(titleOfTrace).join(", ")}`} />
      <p class="soft plot-note">
        Drag, or press + at the pointer, to zoom, which pauses; double-click or press − for the whole window. Arrow keys move the pointer.
      </p>
    </div>
  );
}
