import { useEffect, useRef } from "preact/hooks";
import { clockAt } from "../../ui/time.ts";
import { complain } from "../../ui/toasts.ts";
import { readFields } from "../topic-subscriptions.ts";
import type { DrawnPlot } from "./draw-plot.ts";
import { TraceSamples } from "./trace-samples.ts";
import { type Trace, titleOfTrace } from "./traces.ts";

/** Frames a second; each has all samples since the one before. */
const RATE = 20;
/** Of each topic: half a minute at 1 kHz in full, and the rest of five minutes in steps of 10 ms. */
const KEPT = { most: 30_000, step: 0.01, seconds: 300 };
/** From one drawing to the next, milliseconds; and of this time at most this part is spent on drawing. */
const DRAW_MS = 50;
const DRAWING_PART = 0.25;
/** From one text of the newest values to the next, milliseconds: faster ones cannot be read. */
const VALUES_MS = 250;

type Columns = (number | null | undefined)[][];
interface Holder<T> {
  readonly current: T | null;
}
interface PlotOptions {
  readonly box: Holder<HTMLElement>;
  /** Where a `.trace-value` for each trace is found, in their order. */
  readonly values: Holder<HTMLElement>;
  readonly time: Holder<HTMLElement>;
  readonly traces: readonly Trace[];
  readonly colors: readonly string[];
  readonly seconds: number;
  readonly paused: boolean;
  readonly onZoom: () => void;
}

/** Draws into the box, and writes the values under the pointer; returns what reads the columns that are shown. */
export function usePlot(options: PlotOptions): () => Columns {
  const { traces, colors } = options;
  const latest = useRef(options);
  latest.current = options;
  const shown = useRef<() => Columns>(() => []);
  useEffect(() => {
    if (traces.length === 0) return;
    const { samples, end } = readTraces(traces);
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
          const newest = Math.max(...[...samples.values()].map((one) => one.newest ?? Number.NEGATIVE_INFINITY));
          if (latest.current.paused || !Number.isFinite(newest)) return;
          plot.draw(newest - latest.current.seconds, newest);
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
  }, [traces.map(titleOfTrace).join("\n"), colors.join()]);
  return () => shown.current();
}

function readTraces(traces: readonly Trace[]): { samples: ReadonlyMap<string, TraceSamples>; end: () => void } {
  const samples = new Map<string, TraceSamples>();
  const ends: (() => void)[] = [];
  for (const { topic } of traces) {
    if (samples.has(topic)) continue;
    const fields = traces.filter((one) => one.topic === topic).map(({ field }) => field);
    const of = new TraceSamples(fields, KEPT);
    samples.set(topic, of);
    ends.push(readFields(topic, { rate: RATE, fields }, (times, values) => of.add(times, values)));
  }
  return {
    samples,
    end: () => {
      for (const end of ends) end();
    },
  };
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
function writeValues({ values, time, traces }: PlotOptions, plot: DrawnPlot, samples: ReadonlyMap<string, TraceSamples>): void {
  const hovered = plot.hovered();
  if (time.current) time.current.textContent = hovered ? clockAt(hovered.time * 1_000) : "";
  const places = values.current?.querySelectorAll(".trace-value") ?? [];
  for (const [index, trace] of traces.entries()) {
    const value = hovered ? hovered.values[index] : samples.get(trace.topic)?.latest(trace.field);
    const place = places[index];
    if (place) place.textContent = typeof value === "number" ? String(Number(value.toPrecision(4))) : "";
  }
}
