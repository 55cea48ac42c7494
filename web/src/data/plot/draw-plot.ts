import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { minMaxGrid } from "./min-max-grid.ts";
import type { TraceSamples } from "./traces.ts";

interface Series {
  readonly label: string;
  readonly stroke: string;
}
/** Of which topic a series is, and at which column of its samples. */
interface Place {
  readonly topic: string;
  readonly at: number;
}
interface Span {
  readonly from: number;
  readonly until: number;
}

/** Samples that are drawn one by one; of more, only what the pixels can show. */
const MAX_DRAWN_SAMPLES = 4_000;

/** uPlot in a box that may change its size. Loaded when first needed. */
export class DrawnPlot {
  readonly #plot: uPlot;
  readonly #observer: ResizeObserver;
  readonly #samples: ReadonlyMap<string, TraceSamples>;
  readonly #places: readonly Place[];
  /** The whole window: what a double click shows again. */
  #window: Span = { from: 0, until: 1 };

  /** `zoomed` is called when the user selects a part. */
  constructor(
    box: HTMLElement,
    series: readonly (Series & Place)[],
    { samples, zoomed }: { samples: ReadonlyMap<string, TraceSamples>; zoomed: () => void },
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
        cursor: { drag: { x: true, y: false }, bind: { dblclick: () => showWindow } },
        scales: { x: { time: true } },
        series: [{ label: "time" }, ...series.map(({ label, stroke }) => ({ label, stroke, width: 1.5, spanGaps: true }))],
        hooks: { setSelect: [({ select }) => select.width > 0 && showSelected()] },
      },
      [[]],
      box,
    );
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

  close(): void {
    this.#observer.disconnect();
    this.#plot.destroy();
  }

  #show(span: Span): void {
    const all = [...this.#samples.values()];
    const count = all.reduce((sum, one) => sum + one.indexAt(span.until) - one.indexAt(span.from), 0);
    const steps = Math.max(100, Math.round(this.#plot.over.clientWidth));
    const data =
      count <= MAX_DRAWN_SAMPLES || span.until <= span.from
        ? this.#joined(span)
        : this.#ordered(minMaxGrid(all, { ...span, steps }) as uPlot.AlignedData);
    this.#plot.setData(data, false);
    this.#plot.setScale("x", { min: span.from, max: span.until });
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

/** The legend stands below the drawing. */
const LEGEND_HEIGHT = 60;

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({
  width: clientWidth,
  height: Math.max(120, clientHeight - LEGEND_HEIGHT),
});
