import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
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

/** uPlot in a box that may change its size. Loaded when first needed. */
export class DrawnPlot {
  readonly #plot: uPlot;
  readonly #observer: ResizeObserver;
  #columns: uPlot.AlignedData = [[]];

  /** `zoomed` is called when the user selects a part. */
  constructor(box: HTMLElement, series: readonly Series[], zoomed: () => void) {
    const style = getComputedStyle(box);
    const axis = { stroke: style.getPropertyValue("--soft"), grid: { stroke: style.getPropertyValue("--line"), width: 1 } };
    this.#plot = new uPlot(
      {
        ...sizeOf(box),
        axes: [axis, { ...axis, size: 64 }],
        cursor: { drag: { x: true, y: false } },
        scales: { x: { time: true } },
        series: [{ label: "time" }, ...series.map((one) => ({ ...one, width: 1.5, spanGaps: true }))],
        hooks: { setSelect: [({ select }) => select.width > 0 && zoomed()] },
      },
      this.#columns,
      box,
    );
    this.#observer = new ResizeObserver(() => this.#plot.setSize(sizeOf(box)));
    this.#observer.observe(box);
  }

  draw(samples: ReadonlyMap<string, TraceSamples>, places: readonly Place[], from: number, until: number): void {
    const topics = [...samples.keys()];
    const joined = uPlot.join([...samples.values()].map((one) => one.since(from) as unknown as uPlot.AlignedData));
    const starts = new Map<string, number>();
    let column = 1;
    for (const topic of topics) {
      starts.set(topic, column);
      column += samples.get(topic)?.fields.length ?? 0;
    }
    const ordered = places.map(({ topic, at }) => joined[(starts.get(topic) ?? 1) + at - 1] ?? []);
    this.#columns = [joined[0], ...ordered];
    this.#plot.setData(this.#columns, false);
    this.#plot.setScale("x", { min: from, max: until });
  }

  /** Times and values as they are drawn, of the part that is in sight. */
  columns(): (number | null | undefined)[][] {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = this.#plot.scales.x ?? {};
    const times = [...this.#columns[0]];
    const rows = times.flatMap((time, row) => (time >= min && time <= max ? [row] : []));
    return this.#columns.map((column) => rows.map((row) => column[row]));
  }

  close(): void {
    this.#observer.disconnect();
    this.#plot.destroy();
  }
}

/** The legend stands below the drawing. */
const LEGEND_HEIGHT = 60;

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({
  width: clientWidth,
  height: Math.max(120, clientHeight - LEGEND_HEIGHT),
});
