import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { listenToFingers, MIN_DRAG } from "../../../ui/plot/plot-fingers.ts";
import type { Span } from "../range.ts";
import { axisTexts } from "../time-text.ts";
import type { Column } from "./curve-data.ts";
import type { PlotPanel } from "./panels.ts";

/** Room beside the curves, px: the lanes above have the same, so that equal times are below each other. */
const LEFT = 72;
const RIGHT = 16;
const TIMES_HEIGHT = 26;
const LINE_WIDTH = 1.5;
/** Most points of lines that are wider than one screen pixel: those are drawn five times as fast. */
const MAX_WIDE_POINTS = 8_000;
/** Steps of axes: texts have one decimal, whole numbers have nothing in between, and bytes have powers of 2. */
const DECIMAL_STEPS = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => (step * 10 ** power) / 10)).flat();
const WHOLE_STEPS = DECIMAL_STEPS.filter((step) => step >= 1);
const BINARY_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);
let stacks = 0;

export interface PlotEvents {
  /** The user has selected a span of time, ms since 1970. */
  readonly onSelect: (span: Span) => void;
  /** Fingers move or zoom the plot. */
  readonly onFingers: (span: Span) => void;
  readonly onZoomOut: () => void;
  /** The time under the pointer, ms since 1970; null: it is not over the plot. */
  readonly onHover: (time: number | null) => void;
  readonly onPick: (time: number) => void;
  /** The longest span that can be shown. */
  readonly whole: () => Span;
}

/** A time that is marked in all panels. */
export interface TimeLine {
  readonly time: number;
  readonly color: string;
}

export interface Drawing {
  readonly panels: readonly PlotPanel[];
  readonly times: readonly number[];
  readonly span: Span;
  readonly marks: readonly TimeLine[];
}

/** Draws panels below each other, which share time and pointer. */
export class HistoryPlot {
  readonly #events: PlotEvents;
  readonly #key = `history ${stacks++}`;
  readonly #observer: ResizeObserver;
  #plots: { readonly box: HTMLElement; readonly plot: uPlot }[] = [];
  #closed = new AbortController();
  #structure = "";
  #span: Span = { from: 0, until: 1 };
  #marks: readonly TimeLine[] = [];

  constructor(events: PlotEvents) {
    this.#events = events;
    this.#observer = new ResizeObserver((entries) => {
      for (const { target } of entries) this.#fit(target as HTMLElement);
    });
  }

  /** Draws into boxes, one for each panel. */
  draw(boxes: readonly HTMLElement[], { panels, times, span, marks }: Drawing): void {
    this.#span = span;
    this.#marks = marks;
    const structure = JSON.stringify(
      panels.map(({ figure, curves }) => [figure.key, curves.map(({ label, color, band }) => [label, color, band !== null])]),
    );
    const points = times.length * panels.reduce((sum, { curves }) => sum + curves.length, 0);
    if (structure !== this.#structure || boxes.some((box, index) => this.#plots[index]?.box !== box)) {
      this.#closePlots();
      this.#structure = structure;
    }
    for (const [index, panel] of panels.entries()) {
      const box = boxes[index];
      if (box === undefined) continue;
      const data = [times, ...columnsOf(panel)] as uPlot.AlignedData;
      const known = this.#plots[index];
      if (known === undefined) this.#add(box, { panel, data, isLast: index === panels.length - 1, isFine: points > MAX_WIDE_POINTS });
      else known.plot.setData(data);
    }
  }

  /** Moves the pointer to a time; null hides it. */
  point(time: number | null): void {
    const [first] = this.#plots;
    if (first === undefined) return;
    const left = time === null ? -10 : first.plot.valToPos(time / 1_000, "x");
    for (const { plot } of this.#plots) plot.setCursor({ left, top: time === null ? -10 : 1 }, false);
  }

  close(): void {
    this.#observer.disconnect();
    this.#closePlots();
  }

  #closePlots(): void {
    this.#closed.abort();
    this.#closed = new AbortController();
    for (const { plot, box } of this.#plots) {
      this.#observer.unobserve(box);
      plot.destroy();
    }
    this.#plots = [];
  }

  #fit(box: HTMLElement): void {
    const plot = this.#plots.find((one) => one.box === box)?.plot;
    const { clientWidth: width, clientHeight: height } = box;
    if (plot !== undefined && width > 0 && height > 0 && (plot.width !== width || plot.height !== height)) plot.setSize({ width, height });
  }

  #add(
    box: HTMLElement,
    { panel, data, isLast, isFine }: { panel: PlotPanel; data: uPlot.AlignedData; isLast: boolean; isFine: boolean },
  ): void {
    const style = getComputedStyle(box);
    const axis = { stroke: style.getPropertyValue("--soft"), grid: { stroke: style.getPropertyValue("--line"), width: 1 } };
    const { figure } = panel;
    let isDrag = false;
    const plot = new uPlot(
      {
        width: Math.max(1, box.clientWidth),
        height: Math.max(1, box.clientHeight),
        legend: { show: false },
        axes: [
          {
            ...axis,
            ...{ size: isLast ? TIMES_HEIGHT : 0, space: 76, ticks: { show: false }, gap: 4 },
            values: (_plot: uPlot, splits: number[], _axis: number, _space: number, step: number) =>
              isLast ? axisTexts(splits, step) : [],
          },
          {
            ...axis,
            ...{ size: LEFT, ticks: { show: false }, gap: 4, space: 26 },
            incrs: figure.isBinary ? BINARY_STEPS : figure.isWhole ? WHOLE_STEPS : DECIMAL_STEPS,
            values: (_plot: uPlot, splits: number[]) => splits.map((value) => figure.text(value)),
          },
        ],
        padding: [8, RIGHT, isLast ? 0 : 8, 0],
        cursor: {
          drag: { x: true, y: false, setScale: false, dist: MIN_DRAG },
          points: { show: false },
          y: false,
          bind: {
            dblclick: () => () => {
              this.#events.onZoomOut();
              return null;
            },
          },
          sync: {
            key: this.#key,
            setSeries: false,
            scales: ["x", null],
            filters: { pub: (type: string) => type === "mousemove" || type === "mouseleave" },
          },
        },
        scales: {
          x: { time: true, range: () => [this.#span.from / 1_000, this.#span.until / 1_000] },
          y: { range: rangeFromZero },
        },
        series: [{}, ...seriesOf(panel, isFine)],
        bands: bandsOf(panel),
        hooks: {
          drawClear: [(drawn: uPlot) => this.#drawMarks(drawn)],
          setSelect: [
            (drawn: uPlot) => {
              const { left, width } = drawn.select;
              if (width <= 0) return;
              isDrag = true;
              const [from, until] = [drawn.posToVal(left, "x"), drawn.posToVal(left + width, "x")];
              drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              this.#events.onSelect({ from: from * 1_000, until: until * 1_000 });
            },
          ],
          setCursor: [
            (drawn: uPlot) => {
              const { left = -1 } = drawn.cursor;
              this.#events.onHover(left < 0 ? null : drawn.posToVal(left, "x") * 1_000);
            },
          ],
        },
      } as unknown as uPlot.Options,
      data,
      box,
    );
    this.#plots.push({ box, plot });
    this.#observer.observe(box);
    const { signal } = this.#closed;
    plot.over.addEventListener(
      "pointerdown",
      () => {
        isDrag = false;
      },
      { signal },
    );
    plot.over.addEventListener(
      "click",
      ({ clientX }) => {
        const { left, width } = plot.over.getBoundingClientRect();
        if (isDrag || width === 0) return;
        this.#events.onPick(this.#span.from + ((clientX - left) / width) * (this.#span.until - this.#span.from));
      },
      { signal },
    );
    listenToFingers(plot.over, { span: () => this.#span, whole: this.#events.whole, show: (span) => this.#events.onFingers(span) }, signal);
  }

  #drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.globalAlpha = 0.4;
    ctx.lineWidth = devicePixelRatio;
    for (const { time, color } of this.#marks) {
      const x = Math.round(plot.valToPos(time / 1_000, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.strokeStyle = color;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }
}

/** Columns of a panel: each curve is followed by the edges of its band. */
const columnsOf = ({ curves }: PlotPanel): Column[] =>
  curves.flatMap(({ values, band }) => (band === null ? [values] : [values, band.high, band.low]));

function seriesOf({ curves }: PlotPanel, isFine: boolean): Partial<uPlot.Series>[] {
  return curves.flatMap(({ color, band, isFaint }): Partial<uPlot.Series>[] => {
    const width = isFaint || isFine ? 1 / devicePixelRatio : LINE_WIDTH;
    const edge: Partial<uPlot.Series> = { stroke: "transparent", width: 0, points: { show: false }, spanGaps: false };
    // Single points between gaps are drawn as dots; of many curves they would be too many.
    const points = { show: false, size: 4, stroke: color, fill: color, ...(isFaint || isFine ? { filter: () => null } : {}) };
    const curve: Partial<uPlot.Series> = { stroke: color, width, points, spanGaps: false };
    return band === null ? [curve] : [curve, edge, edge];
  });
}

function bandsOf({ curves }: PlotPanel): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  let at = 1;
  for (const { band, color } of curves) {
    if (band !== null) bands.push({ series: [at + 1, at + 2], fill: `${color}30` });
    at += band === null ? 1 : 3;
  }
  return bands;
}

/** From 0 up: what is used is compared with nothing. */
const rangeFromZero = (_plot: uPlot, _min: number | null, max: number | null): [number, number] => {
  if (max === null || max <= 0) return [0, 1];
  return [0, max * 1.08];
};
