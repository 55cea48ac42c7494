import { useEffect, useRef, useState } from "preact/hooks";
import { linkTo } from "../../app/navigation.ts";
import { shade } from "../../app/settings.ts";
import { Button } from "../../ui/button.tsx";
import { downloadText } from "../../ui/download.ts";
import { Icon } from "../../ui/icons.tsx";
import { complain } from "../../ui/toasts.ts";
import { readFields } from "../topic-subscriptions.ts";
import { plotted, togglePlotted } from "./plotted.ts";
import { csvOf, type Trace, TraceSamples, titleOfTrace } from "./traces.ts";

const WINDOWS: readonly (readonly [number, string])[] = [
  [5, "5 s"],
  [10, "10 s"],
  [30, "30 s"],
  [60, "1 min"],
  [300, "5 min"],
];
/** Frames a second; each has all samples since the one before. */
const RATE = 20;
/** Of each topic: half a minute at 1 kHz in full, and the rest of the time in steps of 10 ms. */
const MAX_SAMPLES = 120_000;
const MAX_SECONDS = 300;
/** From one drawing to the next, milliseconds; and of this time at most this part is spent on drawing. */
const DRAW_MS = 50;
const DRAWING_PART = 0.25;
const COLORS = ["#4c9be8", "#e8a33d", "#55b96a", "#e0625e", "#a583e0", "#3cb7b7", "#d977b0", "#9aa64a", "#7f8fa6", "#c98a5a"];

/** Live traces of numeric fields of any topics. */
export function PlotView() {
  const traces = plotted.value;
  const [seconds, setSeconds] = useState(10);
  const [paused, setPaused] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const columns = usePlot({ box, traces, seconds, paused, onZoom: () => setPaused(true) });
  if (traces.length === 0)
    return (
      <p class="empty nothing">
        Nothing is plotted. Select a <a {...linkTo({ kind: "topics" })}>topic</a> and add its fields.
      </p>
    );
  return (
    <div class="plot">
      <div class="plot-tools">
        <ul class="plot-traces" aria-label="Plotted traces">
          {traces.map((trace, index) => (
            <li key={titleOfTrace(trace)}>
              <button type="button" title="Remove from the plot" onClick={() => togglePlotted(trace)} style={{ "--trace": colorOf(index) }}>
                <span class="trace-color" />
                {titleOfTrace(trace)}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
        <span class="grow" />
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
      </div>
      <div class="plot-box" ref={box} role="img" aria-label={`Plot of ${traces.map(titleOfTrace).join(", ")}`} />
      <p class="soft plot-note">Drag to zoom, which pauses; double-click for the whole window.</p>
    </div>
  );
}

const colorOf = (index: number) => COLORS[index % COLORS.length] ?? "#888888";

type Columns = (number | null | undefined)[][];
interface PlotOptions {
  readonly box: { readonly current: HTMLDivElement | null };
  readonly traces: readonly Trace[];
  readonly seconds: number;
  readonly paused: boolean;
  readonly onZoom: () => void;
}

/** Draws into the box; returns what reads the columns that are shown. */
function usePlot({ box, traces, seconds, paused, onZoom }: PlotOptions): () => Columns {
  const latest = useRef({ seconds, paused, onZoom });
  latest.current = { seconds, paused, onZoom };
  const shown = useRef<() => Columns>(() => []);
  const key = traces.map(titleOfTrace).join("\n");
  const theme = shade.value;
  useEffect(() => {
    if (traces.length === 0) return;
    const ends: (() => void)[] = [];
    const samples = new Map<string, TraceSamples>();
    for (const { topic } of traces) {
      if (samples.has(topic)) continue;
      const of = new TraceSamples(
        traces.filter((one) => one.topic === topic).map(({ field }) => field),
        { most: MAX_SAMPLES, seconds: MAX_SECONDS },
      );
      samples.set(topic, of);
      ends.push(readFields(topic, { rate: RATE, fields: of.fields }, (times, values) => of.add(times, values)));
    }
    let isOver = false;
    import("./draw-plot.ts")
      .then(({ DrawnPlot }) => {
        if (isOver || !box.current) return;
        const series = traces.map((trace, index) => ({
          ...{ label: titleOfTrace(trace), stroke: colorOf(index), topic: trace.topic },
          at: samples.get(trace.topic)?.fields.indexOf(trace.field) ?? 0,
        }));
        const plot = new DrawnPlot(box.current, series, { samples, zoomed: () => latest.current.onZoom() });
        const draw = () => {
          const begin = performance.now();
          const newest = Math.max(...[...samples.values()].map((one) => one.newest ?? Number.NEGATIVE_INFINITY));
          if (!latest.current.paused && !document.hidden && Number.isFinite(newest)) plot.draw(newest - latest.current.seconds, newest);
          timer = setTimeout(draw, Math.max(DRAW_MS, (performance.now() - begin) / DRAWING_PART));
        };
        let timer = setTimeout(draw, DRAW_MS);
        shown.current = () => plot.columns();
        ends.push(() => {
          clearTimeout(timer);
          plot.close();
        });
      })
      .catch(complain);
    return () => {
      isOver = true;
      for (const end of ends) end();
    };
  }, [key, theme]);
  return () => shown.current();
}
