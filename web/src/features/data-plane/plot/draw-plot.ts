import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Span } from "../../../ui/plot/finger-span.ts";
import { listenToFingers, MIN_DRAG } from "../../../ui/plot/plot-fingers.ts";
import { drawMarks, type Mark } from "./marks.ts";
import { minMaxGrid } from "./min-max-grid.ts";
import { listenToWheel } from "./plot-wheel.ts";
import type { ScaleGroup } from "./scales.ts";
import { insideTimeTexts, timeTexts } from "./time-axis.ts";
import type { TraceSamples } from "./trace-samples.ts";

interface Series {
  readonly label: string;
  readonly stroke: string;
  /** The topic of the trace, and the index of its column in the topic's samples. */
  readonly topic: string;
  readonly at: number;
}
/** What a plot does that shares its time axis with what is above it. */
export interface AxisListener {
  /** The width before the axis, CSS px. */
  readonly left: () => number;
  readonly zoomed: (span: Span) => void;
  /** A time was selected by a click. */
  readonly picked: (time: number) => void;
  /** Handles all keys. */
  readonly press: (event: KeyboardEvent) => void;
}
interface Options {
  readonly samples: ReadonlyMap<string, TraceSamples>;
  /** Called when the user selects a span of time. */
  readonly zoomed: () => void;
  /** Called when the pointer moves. */
  readonly hovered: () => void;
  /** The times that are marked while a span is visible. */
  readonly marks: (visible: Span) => readonly Mark[];
  /** Null: the plot has an axis of its own. */
  readonly axis: AxisListener | null;
}
/** A plot with a scale of its own. */
interface Panel {
  readonly plot: uPlot;
  readonly traces: readonly number[];
}

/** Maximum number of points of all traces together: more take longer to draw, and hide one another. */
const MAX_POINTS = 20_000;
/** Maximum number of points for wide lines: a line of one screen pixel is drawn five times as fast. */
const MAX_WIDE_POINTS = 8_000;
const LINE_WIDTH = 1.5;
/** Distance that an arrow key moves the pointer, as a fraction of the width. */
const KEY_STEP = 0.01;
/** Width of the values before the axis, and free space after it, of a plot with an axis of its own, px. */
const VALUES_WIDTH = 64;
const MARGIN = 24;
/** Height of the times below the lowest panel, and minimum height of a panel without them, px. */
const TIMES_HEIGHT = 34;
const MIN_HEIGHT = 84;
/** Gap below a panel without times, px: the label of its lowest value extends beyond its lower edge. */
const GAP = 8;
/** Maximum distance between the pointer and a marked sample, px. */
const MARK_DISTANCE = 30;
let stacks = 0;

/** Draws traces over time in a resizable box, in panels below each other that share time and pointer. Loaded when first needed. */
export class DrawnPlot {
  readonly #box: HTMLElement;
  readonly #series: readonly Series[];
  readonly #options: Options;
  readonly #observer: ResizeObserver;
  readonly #closed = new AbortController();
  #panels: readonly Panel[] = [];
  /** Removes the listeners of the panels. */
  #arranged = new AbortController();
  /** The whole window, which a double click shows again. */
  #window: Span = { from: 0, until: 1 };

  constructor(box: HTMLElement, series: readonly Series[], options: Options) {
    this.#box = box;
    this.#series = series;
    this.#options = options;
    const { signal } = this.#closed;
    const range = { span: () => this.visibleSpan(), whole: () => this.#widest(), show: (span: Span) => this.#zoom(span) };
    listenToWheel(box, { ...range, placeOf: (event) => this.#placeOf(event.clientX) }, signal);
    const { axis } = options;
    const press = axis?.press ?? ((event: KeyboardEvent) => this.#press(event.key) && event.preventDefault());
    box.addEventListener("keydown", press, { signal });
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(box);
  }

  /** Creates a panel for each group of traces. */
  arrange(groups: readonly ScaleGroup[]): void {
    const shown = this.#panels.length === 0 ? null : this.visibleSpan();
    this.#closePanels();
    this.#arranged = new AbortController();
    const key = `plots ${stacks++}`;
    this.#panels = groups.map(({ label, traces }, index) => {
      const isLast = index === groups.length - 1;
      return { traces, plot: this.#panel(traces, { label: groups.length > 1 ? label : "", isLast, key }) };
    });
    this.#fit();
    if (shown !== null) this.#show(shown);
  }

  /** Draws a part of a window of time, in seconds since 1970: by default all of it. */
  draw(window: Span, shown = window): void {
    this.#window = window;
    this.#show(shown);
  }

  /** Draws another part of the window, which was selected elsewhere. */
  show(span: Span): void {
    const { from, until } = this.visibleSpan();
    if (from !== span.from || until !== span.until) this.#show(span);
  }

  /** Removes the pointer, until it moves again. */
  hidePointer(): void {
    for (const { plot } of this.#panels) plot.setCursor({ left: -1, top: -1 }, false);
  }

  /** Times and values of all samples in the visible span of time. */
  columns(): (number | null | undefined)[][] {
    const parts = [...this.#options.samples.values()].map((one) => one.between(this.visibleSpan().from, this.visibleSpan().until));
    return this.#ordered(uPlot.join(parts as uPlot.AlignedData[])) as (number | null | undefined)[][];
  }

  /** Time under the pointer, in seconds since 1970; null if it is not over the plot. */
  pointerTime(): number | null {
    for (const { plot } of this.#panels) {
      const left = plot.cursor.left ?? -1;
      if (left >= 0) return plot.posToVal(left, "x");
    }
    return null;
  }

  visibleSpan(): Span {
    const { min, max } = this.#panels[0]?.plot.scales.x ?? {};
    return { from: min ?? this.#window.from, until: max ?? this.#window.until };
  }

  /** Draws the marks anew. */
  redraw(): void {
    for (const { plot } of this.#panels) plot.redraw(false, false);
  }

  /** The drawn panels, from top to bottom. */
  canvases(): HTMLCanvasElement[] {
    return this.#panels.map(({ plot }) => plot.ctx.canvas);
  }

  close(): void {
    this.#closed.abort();
    this.#observer.disconnect();
    this.#closePanels();
  }

  #closePanels(): void {
    this.#arranged.abort();
    for (const { plot } of this.#panels) plot.destroy();
    this.#panels = [];
  }

  #panel(traces: readonly number[], { label, isLast, key }: { label: string; isLast: boolean; key: string }): uPlot {
    const style = getComputedStyle(this.#box);
    const { axis: shared } = this.#options;
    const axis = { stroke: style.getPropertyValue("--soft"), grid: { stroke: style.getPropertyValue("--line"), width: 1 } };
    const showSelected = () => {
      this.#options.zoomed();
      // uPlot sets its scale after this hook.
      setTimeout(() => {
        shared?.zoomed(this.visibleSpan());
        this.#show(this.visibleSpan());
      });
    };
    const showWindow = () => {
      shared?.zoomed(this.#window);
      this.#show(this.#window);
      return null;
    };
    const plot = new uPlot(
      {
        width: 100,
        height: 100,
        axes: [
          {
            ...axis,
            size: isLast ? TIMES_HEIGHT : 0,
            space: 84,
            values: isLast ? (shared === null ? timeTexts : insideTimeTexts) : () => [],
            ticks: { show: isLast },
          },
          { ...axis, size: shared?.left ?? VALUES_WIDTH, ...(label === "" ? {} : { label, labelSize: 20 }) },
        ],
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, dist: MIN_DRAG },
          // A topic has no value at the times of other topics' samples: the nearest value is marked.
          hover: { skip: [null], prox: MARK_DISTANCE },
          bind: { dblclick: () => showWindow },
          // Only the pointer is synchronized: a selection in one panel is shown in all by #show.
          sync: { key, setSeries: false, scales: ["x", null], filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
        },
        scales: { x: { time: true }, y: { range: rangeOfValues } },
        // All panels have the same padding, so that equal times are below each other.
        padding: [10, shared === null ? MARGIN : 0, isLast ? 0 : GAP, 0],
        series: [
          { label: "time" },
          ...traces.map((index) => ({
            label: this.#series[index]?.label,
            stroke: this.#series[index]?.stroke,
            width: LINE_WIDTH,
            spanGaps: true,
          })),
        ],
        hooks: {
          setSelect: [({ select }) => select.width > 0 && showSelected()],
          setCursor: [() => this.#options.hovered()],
          draw: [(drawn) => drawMarks(drawn, this.#options.marks(this.visibleSpan()), style.getPropertyValue("--text"))],
        },
      } as uPlot.Options,
      [[]],
      this.#box,
    );
    const whole = () => this.#widest();
    const { signal } = this.#arranged;
    listenToFingers(plot.over, { span: () => this.visibleSpan(), whole, show: (span) => this.#zoom(span) }, signal);
    if (shared !== null) listenToClicks(plot, shared.picked, signal);
    return plot;
  }

  #fit(): void {
    const { clientWidth: width, clientHeight } = this.#box;
    const height = Math.max(MIN_HEIGHT, Math.floor((clientHeight - TIMES_HEIGHT + GAP) / Math.max(1, this.#panels.length)));
    for (const [index, { plot }] of this.#panels.entries())
      plot.setSize({ width, height: height + (index === this.#panels.length - 1 ? TIMES_HEIGHT - GAP : 0) });
  }

  #zoom(span: Span): void {
    this.#options.zoomed();
    this.#options.axis?.zoomed(span);
    this.#show(span);
  }

  /** The span of the window and of all kept samples. */
  #widest(): Span {
    const all = [...this.#options.samples.values()];
    return {
      from: Math.min(this.#window.from, ...all.map(({ oldest }) => oldest ?? this.#window.from)),
      until: Math.max(this.#window.until, ...all.map(({ newest }) => newest ?? this.#window.until)),
    };
  }

  #show(span: Span): void {
    const [first] = this.#panels;
    if (first === undefined) return;
    const all = [...this.#options.samples.values()];
    const counts = all.map((one) => one.count(span.from, span.until));
    const steps = Math.max(100, Math.round(Math.min(first.plot.over.clientWidth, MAX_POINTS / 2 / this.#series.length)));
    const isGrid = sumOf(counts) > 2 * steps && span.until > span.from;
    const points = isGrid ? 2 * steps * this.#series.length : sumOf(counts.map((count, at) => count * (all[at]?.fields.length ?? 0)));
    const data = isGrid
      ? minMaxGrid(all, { ...span, steps })
      : uPlot.join(all.map((one) => one.between(span.from, span.until) as uPlot.AlignedData));
    const [times, ...columns] = this.#ordered(data as uPlot.AlignedData);
    for (const { plot, traces } of this.#panels) {
      for (const series of plot.series) series.width = points > MAX_WIDE_POINTS ? 1 / devicePixelRatio : LINE_WIDTH;
      plot.setData([times, ...traces.map((index) => columns[index] ?? [])], false);
      plot.setScale("x", { min: span.from, max: span.until });
    }
  }

  /** The position of `clientX`, as a fraction of the width. */
  #placeOf(clientX: number): number {
    const box = this.#panels[0]?.plot.over.getBoundingClientRect();
    return box === undefined || box.width === 0 ? 0 : Math.min(1, Math.max(0, (clientX - box.left) / box.width));
  }

  /** Handles a key; returns whether it has a meaning. */
  #press(key: string): boolean {
    const plot = this.#panels[0]?.plot;
    if (plot === undefined) return false;
    const { cursor, over } = plot;
    const left = cursor.left === undefined || cursor.left < 0 ? over.clientWidth / 2 : cursor.left;
    const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[key];
    if (step !== undefined) {
      const moved = Math.min(over.clientWidth, Math.max(0, left + step * over.clientWidth));
      plot.setCursor({ left: moved, top: over.clientHeight / 2 });
    } else if (key === "+" || key === "=") {
      const { from, until } = this.visibleSpan();
      const middle = plot.posToVal(left, "x");
      this.#zoom({ from: middle - (middle - from) / 2, until: middle + (until - middle) / 2 });
    } else if (key === "-") this.#show(this.#window);
    return step !== undefined || ["+", "=", "-"].includes(key);
  }

  /** Orders columns by series: they come in the order of the topics. */
  #ordered(data: uPlot.AlignedData): uPlot.AlignedData {
    const starts = new Map<string, number>();
    let column = 1;
    for (const [topic, { fields }] of this.#options.samples) {
      starts.set(topic, column);
      column += fields.length;
    }
    return [data[0], ...this.#series.map(({ topic, at }) => data[(starts.get(topic) ?? 1) + at] ?? [])];
  }
}

/** Calls back with the time of each click that does not end a movement. */
function listenToClicks(plot: uPlot, picked: (time: number) => void, signal: AbortSignal): void {
  let begin = 0;
  const { over } = plot;
  over.addEventListener("pointerdown", ({ clientX }) => (begin = clientX), { signal });
  over.addEventListener(
    "click",
    ({ clientX }) => {
      if (Math.abs(clientX - begin) < MIN_DRAG) picked(plot.posToVal(clientX - over.getBoundingClientRect().left, "x"));
    },
    { signal },
  );
}

/** Range of the values; a panel without samples gets a default scale, so that it keeps its place. */
const rangeOfValues = (_plot: uPlot, min: number | null, max: number | null): [number, number] => {
  if (min === null || max === null) return [0, 1];
  const [low, high] = uPlot.rangeNum(min, max, 0.1, true);
  return [low ?? min, high ?? max];
};

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
