import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Span } from "./finger-span.ts";
import { minMaxGrid } from "./min-max-grid.ts";
import { listenToFingers } from "./plot-fingers.ts";
import type { TraceSamples } from "./trace-samples.ts";

interface Series {
  readonly label: string;
  readonly stroke: string;
}
/** Of which topic a series is, and at which column of its samples. */
interface Place {
  readonly topic: string;
  readonly at: number;
}
/** What stands under the pointer: time in seconds since 1970, and the value of each series. */
export interface Hovered {
  readonly time: number;
  readonly values: readonly (number | null | undefined)[];
}

/** Of all traces together: more of them cost time, and hide one another. */
const MAX_POINTS = 20_000;
/** A line of one pixel of the screen is drawn five times as fast as a wider one; up to this many points the wider one is used. */
const MAX_WIDE_POINTS = 8_000;
const LINE_WIDTH = 1.5;
/** How far an arrow key moves the pointer, as a part of the width. */
const KEY_STEP = 0.01;

/** uPlot in a box that may change its size. Loaded when first needed. */
export class DrawnPlot {
  readonly #plot: uPlot;
  readonly #observer: ResizeObserver;
  readonly #samples: ReadonlyMap<string, TraceSamples>;
  readonly #places: readonly Place[];
  readonly #closed = new AbortController();
  /** The whole window: what a double click shows again. */
  #window: Span = { from: 0, until: 1 };

  /** `zoomed` is called when the user selects a part, `hovered` when the pointer moves. */
  constructor(
    box: HTMLElement,
    series: readonly (Series & Place)[],
    { samples, zoomed, hovered }: { samples: ReadonlyMap<string, TraceSamples>; zoomed: () => void; hovered: () => void },
  ) {
    this.#samples = samples;
    this.#places = series;
    const style = getComputedStyle(box);
    const axis = { stroke: style.getPropertyValue("--soft"), grid: { stroke: style.getPropertyValue("--line"), width: 1 } };
    const showSelected = () => {
      zoomed();
      // uPlot sets its scale after this hook.
      setTimeout(() => this.#show(this.#inSight()));
    };
    const showWindow = () => {
      this.#show(this.#window);
      return null;
    };
    this.#plot = new uPlot(
      {
        ...sizeOf(box),
        axes: [axis, { ...axis, size: 64 }],
        legend: { show: false },
        // A topic has no value at the samples of the others: the nearest one is meant.
        cursor: { drag: { x: true, y: false }, hover: { skip: [null] }, bind: { dblclick: () => showWindow } },
        scales: { x: { time: true } },
        series: [{ label: "time" }, ...series.map(({ label, stroke }) => ({ label, stroke, width: LINE_WIDTH, spanGaps: true }))],
        hooks: { setSelect: [({ select }) => select.width > 0 && showSelected()], setCursor: [hovered] },
      },
      [[]],
      box,
    );
    const show = (span: Span) => {
      zoomed();
      this.#show(span);
    };
    const whole = () => this.#window;
    listenToFingers(this.#plot.over, { span: () => this.#inSight(), whole, show }, this.#closed.signal);
    box.addEventListener("keydown", (event) => this.#press(event.key, zoomed) && event.preventDefault(), { signal: this.#closed.signal });
    this.#observer = new ResizeObserver(() => this.#plot.setSize(sizeOf(box)));
    this.#observer.observe(box);
  }

  /** Times in seconds since 1970. */
  draw(from: number, until: number): void {
    this.#window = { from, until };
    this.#show(this.#window);
  }

  /** Times and values of all samples of the part that is in sight. */
  columns(): (number | null | undefined)[][] {
    return this.#joined(this.#inSight()) as (number | null | undefined)[][];
  }

  /** Null: the pointer is elsewhere. */
  hovered(): Hovered | null {
    const { cursor, data } = this.#plot;
    const time = data[0][cursor.idx ?? -1];
    if (time === undefined || (cursor.left ?? -1) < 0) return null;
    return { time, values: this.#places.map((_, index) => data[index + 1]?.[cursor.idxs?.[index + 1] ?? -1]) };
  }

  close(): void {
    this.#closed.abort();
    this.#observer.disconnect();
    this.#plot.destroy();
  }

  #show(span: Span): void {
    const all = [...this.#samples.values()];
    const counts = all.map((one) => one.count(span.from, span.until));
    const steps = Math.max(100, Math.round(Math.min(this.#plot.over.clientWidth, MAX_POINTS / 2 / this.#places.length)));
    const isGrid = sumOf(counts) > 2 * steps && span.until > span.from;
    const points = isGrid ? 2 * steps * this.#places.length : sumOf(counts.map((count, at) => count * (all[at]?.fields.length ?? 0)));
    for (const series of this.#plot.series) series.width = points > MAX_WIDE_POINTS ? 1 / devicePixelRatio : LINE_WIDTH;
    this.#plot.setData(isGrid ? this.#ordered(minMaxGrid(all, { ...span, steps }) as uPlot.AlignedData) : this.#joined(span), false);
    this.#plot.setScale("x", { min: span.from, max: span.until });
  }

  /** Whether the key means something. */
  #press(key: string, zoomed: () => void): boolean {
    const { cursor, over } = this.#plot;
    const left = cursor.left === undefined || cursor.left < 0 ? over.clientWidth / 2 : cursor.left;
    const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[key];
    if (step !== undefined) {
      const moved = Math.min(over.clientWidth, Math.max(0, left + step * over.clientWidth));
      this.#plot.setCursor({ left: moved, top: over.clientHeight / 2 });
    } else if (key === "+" || key === "=") {
      zoomed();
      const { from, until } = this.#inSight();
      const middle = this.#plot.posToVal(left, "x");
      this.#show({ from: middle - (middle - from) / 2, until: middle + (until - middle) / 2 });
    } else if (key === "-") this.#show(this.#window);
    return step !== undefined || ["+", "=", "-"].includes(key);
  }

  #inSight(): Span {
    const { min, max } = this.#plot.scales.x ?? {};
    return { from: min ?? this.#window.from, until: max ?? this.#window.until };
  }

  #joined({ from, until }: Span): uPlot.AlignedData {
    const parts = [...this.#samples.values()].map((one) => one.between(from, until) as uPlot.AlignedData);
    return this.#ordered(uPlot.join(parts));
  }

  /** Columns stand in the order of the topics; series in the order in which they were added. */
  #ordered(data: uPlot.AlignedData): uPlot.AlignedData {
    const starts = new Map<string, number>();
    let column = 1;
    for (const [topic, { fields }] of this.#samples) {
      starts.set(topic, column);
      column += fields.length;
    }
    return [data[0], ...this.#places.map(({ topic, at }) => data[(starts.get(topic) ?? 1) + at] ?? [])];
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ width: clientWidth, height: Math.max(120, clientHeight) });
