import { useEffect, useRef } from "preact/hooks";
import { clockAt } from "../../ui/time.ts";
import { complain } from "../../ui/toasts.ts";
import type { DrawnPlot } from "./draw-plot.ts";
import type { TraceSamples } from "./trace-samples.ts";
import { type Trace, titleOfTrace } from "./traces.ts";

/** From one drawing to the next, milliseconds; and of this time at most this part is spent on drawing. */
const DRAW_MS = 50;
const DRAWING_PART = 0.25;
/** From one text of the newest values to the next, milliseconds: faster ones cannot be read. */
const VALUES_MS = 250;

type Columns = (number | null | undefined)[][];
/** Of each topic. */
export type Samples = ReadonlyMap<string, TraceSamples>;

/** Where the samples of traces come from. */
export interface TraceSource {
  /** Another one is read again. */
  readonly key: string;
  readonly read: (traces: readonly Trace[]) => { readonly samples: Samples; readonly end: () => void };
  /** What is to be drawn, in seconds since 1970; null: nothing new. */
  readonly span: (samples: Samples) => { readonly from: number; readonly until: number } | null;
}
interface Holder<T> {
  readonly current: T | null;
}
export interface PlotOptions {
  readonly source: TraceSource;
  readonly box: Holder<HTMLElement>;
  /** Where a `.trace-value` for each trace is found, in their order. */
  readonly values: Holder<HTMLElement>;
  readonly time: Holder<HTMLElement>;
  readonly traces: readonly Trace[];
  readonly colors: readonly string[];
  readonly paused: boolean;
  readonly onZoom: () => void;
}

/** Draws into the box, and writes the values under the pointer; returns what reads the columns that are shown. */
export function usePlot(options: PlotOptions): () => Columns {
  const { traces, colors, source } = options;
  const latest = useRef(options);
  latest.current = options;
  const shown = useRef<() => Columns>(() => []);
  useEffect(() => {
    if (traces.length === 0) return;
    const { samples, end } = source.read(traces);
    const ends = [end];
    let isOver = false;
    import("./draw-plot.ts")
      .then(({ DrawnPlot }) => {
        const box = latest.current.box.current;
        if (isOver || !box) return;
        const series = traces.map((trace, index) => ({
          ...{ label: titleOfTrace(trace), stroke: colors[index] ?? "gray", topic: trace.topic },
          at: samples.get(trace.topic)?.fields.indexOf(trace.field) ?? 0,
        }));
        const hovered = () => writeValues(latest.current, plot, samples);
        const plot = new DrawnPlot(box, series, { samples, zoomed: () => latest.current.onZoom(), hovered });
        shown.current = () => plot.columns();
        let wroteAt = Number.NEGATIVE_INFINITY;
        const stop = drawRepeatedly((begin) => {
          const span = latest.current.paused ? null : latest.current.source.span(samples);
          if (span === null) return;
          plot.draw(span.from, span.until);
          if (begin - wroteAt < VALUES_MS) return;
          wroteAt = begin;
          hovered();
        });
        ends.push(stop, () => plot.close());
      })
      .catch(complain);
    return () => {
      isOver = true;
      for (const end of ends) end();
    };
  }, [traces.map(titleOfTrace).join("\n"), colors.join(), source.key]);
  return () => shown.current();
}

/** At most once in a frame of the screen, and seldom enough that the page has time for other work; a hidden page draws nothing. */
function drawRepeatedly(draw: (begin: number) => void): () => void {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = () => {
    frame = requestAnimationFrame(() => {
      const begin = performance.now();
      draw(begin);
      // A timer runs after the frame is painted: the painting is most of the work.
      timer = setTimeout(() => {
        const took = performance.now() - begin;
        timer = setTimeout(next, Math.max(DRAW_MS, took / DRAWING_PART) - took);
      });
    });
  };
  next();
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** Values under the pointer, else the newest ones. */
function writeValues({ values, time, traces }: PlotOptions, plot: DrawnPlot, samples: Samples): void {
  const hovered = plot.hovered();
  if (time.current) time.current.textContent = hovered ? clockAt(hovered.time * 1_000) : "";
  const places = values.current?.querySelectorAll(".trace-value") ?? [];
  for (const [index, trace] of traces.entries()) {
    const value = hovered ? hovered.values[index] : samples.get(trace.topic)?.latest(trace.field);
    const place = places[index];
    if (place) place.textContent = typeof value === "number" ? String(Number(value.toPrecision(4))) : "";
  }
}
