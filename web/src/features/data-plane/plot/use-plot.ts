import { useEffect, useRef } from "preact/hooks";
import type { Span } from "../../../ui/plot/finger-span.ts";
import { clockSeconds } from "../../../ui/time.ts";
import { complain } from "../../../ui/toasts.ts";
import { type Cursors, deltaText, measuredSpan } from "./cursors.ts";
import type { AxisListener, DrawnPlot } from "./draw-plot.ts";
import type { Mark } from "./marks.ts";
import { needsOwnScales, type Scale, type ScaleGroup } from "./scales.ts";
import { statisticsOf, valueAt } from "./statistics.ts";
import type { TraceSamples } from "./trace-samples.ts";
import { type Trace, titleOfTrace } from "./traces.ts";

/** Minimum interval between two drawings, ms, and the maximum fraction of the time that is spent on drawing. */
const DRAW_MS = 50;
const DRAWING_PART = 0.25;
/** Interval between updates of the values' text, ms: faster ones cannot be read. */
const VALUES_MS = 250;
/** Decimal places of the seconds in the time under the pointer. */
const TIME_DIGITS = 3;

type Columns = (number | null | undefined)[][];
/** Samples by topic. */
export type Samples = ReadonlyMap<string, TraceSamples>;

/** A source of the samples of traces. */
export interface TraceSource {
  /** The samples are read again when the key changes. */
  readonly key: string;
  readonly read: (traces: readonly Trace[]) => { readonly samples: Samples; readonly end: () => void };
  /** The span of time to draw, in seconds since 1970; null if there is nothing new. */
  readonly span: (samples: Samples) => Span | null;
}
/** A time axis that other views share: what is shown of it and its cursor belong to them. Times are seconds since 1970. */
export interface SharedAxis extends AxisListener {
  readonly whole: Span;
  readonly shown: Span;
  readonly time: number;
}
interface Holder<T> {
  readonly current: T | null;
}
export interface PlotOptions {
  readonly source: TraceSource;
  readonly box: Holder<HTMLElement>;
  /** Has a child for each trace, in their order, with a `.trace-value`; with statistics also a `.trace-statistic` for each of STATISTICS. */
  readonly values: Holder<HTMLElement>;
  readonly time: Holder<HTMLElement>;
  /** Where the time between the cursors is written. */
  readonly delta: Holder<HTMLElement>;
  readonly cursors: Cursors | null;
  /** The times that are marked while a span is visible. */
  readonly marks: (visible: Span) => readonly Mark[];
  readonly traces: readonly Trace[];
  readonly colors: readonly string[];
  readonly groups: readonly ScaleGroup[];
  readonly scale: Scale;
  readonly paused: boolean;
  readonly onZoom: () => void;
  /** Null: the plot has an axis of its own. */
  readonly axis: SharedAxis | null;
}

/** Statistics between the cursors, or of the visible span of time. */
export const STATISTICS = ["min", "max", "mean", "rms", "deviation", "count", "rate"] as const;

interface PlotReader {
  /** Times and values of all samples in the visible span of time. */
  readonly columns: () => Columns;
  /** The visible span of time, and the drawn panels; null until the plot is drawn. */
  readonly drawn: () => { readonly span: Span; readonly canvases: readonly HTMLCanvasElement[] } | null;
}

/** Draws into the box, and writes the values under the pointer; returns functions that read what is visible. */
export function usePlot(options: PlotOptions): PlotReader {
  const { traces, colors, source, groups, scale, cursors, axis } = options;
  const latest = useRef(options);
  latest.current = options;
  const shown = useRef<Shown | null>(null);
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
        const marks = (visible: Span) => latest.current.marks(visible);
        const hovered = () => writeValues(latest.current, plot, samples);
        const plot = new DrawnPlot(box, series, {
          samples,
          zoomed: () => latest.current.onZoom(),
          hovered,
          marks,
          axis: latest.current.axis && {
            left: () => latest.current.axis?.left() ?? 0,
            zoomed: (span) => latest.current.axis?.zoomed(span),
            picked: (time) => latest.current.axis?.picked(time),
            press: (event) => latest.current.axis?.press(event),
          },
        });
        const panels = new Panels(plot);
        panels.arrange(latest.current, samples);
        shown.current = { plot, panels, samples };
        let wroteAt = Number.NEGATIVE_INFINITY;
        const stop = drawRepeatedly((begin) => {
          const span = latest.current.paused ? null : latest.current.source.span(samples);
          if (span !== null) {
            const { axis: shared } = latest.current;
            if (shared === null) plot.draw(span);
            else plot.draw(shared.whole, shared.shown);
            panels.arrange(latest.current, samples);
          }
          if (begin - wroteAt < VALUES_MS) return;
          wroteAt = begin;
          hovered();
        });
        ends.push(stop, () => plot.close());
      })
      .catch(complain);
    return () => {
      isOver = true;
      shown.current = null;
      for (const each of ends) each();
    };
  }, [traces.map(titleOfTrace).join("\n"), colors.join(), source.key]);
  const arrangement = `${scale} ${JSON.stringify(groups)}`;
  useEffect(() => {
    if (shown.current !== null) shown.current.panels.arrange(latest.current, shown.current.samples);
  }, [arrangement]);
  useEffect(() => {
    if (shown.current === null) return;
    shown.current.plot.redraw();
    writeValues(latest.current, shown.current.plot, shown.current.samples);
  }, [cursors?.join()]);
  useEffect(() => {
    if (axis !== null) shown.current?.plot.show(axis.shown);
  }, [axis?.shown]);
  useEffect(() => {
    if (shown.current === null || axis === null) return;
    shown.current.plot.hidePointer();
    writeValues(latest.current, shown.current.plot, shown.current.samples);
  }, [axis?.time]);
  return {
    columns: () => shown.current?.plot.columns() ?? [],
    drawn: () => shown.current && { span: shown.current.plot.visibleSpan(), canvases: shown.current.plot.canvases() },
  };
}

interface Shown {
  readonly plot: DrawnPlot;
  readonly panels: Panels;
  readonly samples: Samples;
}

/** Arranges the traces in one panel, or in one for each group. */
class Panels {
  readonly #plot: DrawnPlot;
  #shown = "";
  /** Key of the groups that got their own panels because one scale did not show them well. They keep them: panels do not come and go. */
  #apart = "";

  constructor(plot: DrawnPlot) {
    this.#plot = plot;
  }

  arrange({ groups, scale, traces }: PlotOptions, samples: Samples): void {
    const key = JSON.stringify(groups);
    if (scale === "auto" && this.#apart !== key && groups.length > 1 && needsOwnScales(groups, rangesOf(traces, samples, this.#plot)))
      this.#apart = key;
    const isApart = scale === "stacked" || (scale === "auto" && this.#apart === key);
    const drawnKey = `${isApart} ${key}`;
    if (this.#shown === drawnKey) return;
    this.#shown = drawnKey;
    this.#plot.arrange(isApart ? groups : [{ label: "", traces: traces.map((_, index) => index) }]);
  }
}

const rangesOf = (traces: readonly Trace[], samples: Samples, plot: DrawnPlot) =>
  traces.map(({ topic, field }) => {
    const of = samples.get(topic);
    return of === undefined ? null : statisticsOf(of, field, plot.visibleSpan());
  });

/** Draws at most once a frame, and rarely enough that the page has time for other work; a hidden page draws nothing. */
function drawRepeatedly(draw: (begin: number) => void): () => void {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = () => {
    frame = requestAnimationFrame(() => {
      const begin = performance.now();
      draw(begin);
      // The timer runs after the frame is painted, so `took` includes the painting, which is most of the work.
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

/** Writes the values under the pointer, else those at the cursor of a shared axis or the newest visible ones; empty without a sample. Also writes the statistics, if they are shown. */
function writeValues({ values, time, delta, cursors, traces, axis }: PlotOptions, plot: DrawnPlot, samples: Samples): void {
  const at = plot.pointerTime() ?? axis?.time ?? null;
  const span = plot.visibleSpan();
  const measured = measuredSpan(cursors, span);
  if (cursors !== null) write(delta.current, deltaText(cursors, span));
  write(time.current, at === null ? "" : clockSeconds(at, TIME_DIGITS));
  for (const [index, { topic, field }] of traces.entries()) {
    const row = values.current?.children[index];
    const own = samples.get(topic);
    if (row === undefined || own === undefined) continue;
    write(row.querySelector(".trace-value"), numberText(valueAt(own, field, at ?? span.until, span)));
    const cells = row.querySelectorAll(".trace-statistic");
    if (cells.length === 0) continue;
    const found = statisticsOf(own, field, measured);
    for (const [column, name] of STATISTICS.entries())
      write(cells[column], found === null ? "" : name === "count" ? found.count.toLocaleString("en-US") : numberText(found[name]));
  }
}

function write(place: Element | null | undefined, text: string): void {
  if (place && place.textContent !== text) place.textContent = text;
}

const numberText = (value: number | null) => (value === null || Number.isNaN(value) ? "" : String(Number(value.toPrecision(4))));
