import type { Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { complain } from "../../../ui/toasts.ts";
import type { Span } from "../range.ts";
import { momentText } from "../time-text.ts";
import { nearest, valueAt } from "./curve-data.ts";
import type { HistoryPlot, TimeLine } from "./draw-history.ts";
import type { PlotPanel } from "./panels.ts";

export interface ChartActions {
  readonly onSelect: (span: Span) => void;
  readonly onFingers: (span: Span) => void;
  readonly onZoomOut: () => void;
  readonly onPick: (time: number) => void;
  readonly whole: () => Span;
}

interface Props {
  readonly panels: readonly PlotPanel[];
  readonly times: readonly number[];
  readonly span: Span;
  readonly marks: readonly TimeLine[];
  /** The time under the pointer, ms since 1970. */
  readonly hovered: Signal<number | null>;
  readonly actions: ChartActions;
  /** Whether each panel names its curves: of a group, a table does. */
  readonly hasLegend: boolean;
}

/** Charts below each other, with one time axis. */
export function Charts({ panels, times, span, marks, hovered, actions, hasLegend }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(actions);
  latest.current = actions;
  const [plot, setPlot] = useState<HistoryPlot | null>(null);
  useEffect(() => {
    let made: HistoryPlot | null = null;
    let isOver = false;
    let frame = 0;
    import("./draw-history.ts")
      .then(({ HistoryPlot }) => {
        if (isOver) return;
        made = new HistoryPlot({
          onSelect: (selected) => latest.current.onSelect(selected),
          onFingers: (shown) => latest.current.onFingers(shown),
          onZoomOut: () => latest.current.onZoomOut(),
          onPick: (time) => latest.current.onPick(time),
          whole: () => latest.current.whole(),
          onHover: (time) => {
            // Each panel reports the pointer that they share.
            cancelAnimationFrame(frame);
            frame = requestAnimationFrame(() => {
              hovered.value = time;
            });
          },
        });
        setPlot(made);
      })
      .catch(complain);
    return () => {
      isOver = true;
      cancelAnimationFrame(frame);
      made?.close();
    };
  }, []);
  useLayoutEffect(() => {
    const boxes = [...(box.current?.querySelectorAll<HTMLElement>(".history-plot") ?? [])];
    plot?.draw(boxes, { panels, times, span, marks });
  }, [plot, panels, times, span, marks]);
  useEffect(() => hovered.subscribe((time) => plot?.point(time)), [plot]);
  return (
    <div class="history-charts" ref={box}>
      {panels.map((panel, index) => (
        <section
          key={panel.figure.key}
          class={`history-panel ${index === panels.length - 1 ? "is-last" : ""}`}
          aria-label={panel.figure.title}
        >
          <header>
            <h3>{panel.figure.title}</h3>
            {hasLegend && <Legend panel={panel} times={times} hovered={hovered} />}
            {index === 0 && <Moment hovered={hovered} />}
          </header>
          <div class="history-plot" />
        </section>
      ))}
    </div>
  );
}

/** The time under the pointer. */
function Moment({ hovered }: { hovered: Signal<number | null> }) {
  return <span class="soft history-moment">{hovered.value === null ? "" : momentText(hovered.value)}</span>;
}

/** The curves of a panel with their values under the pointer, else the newest ones. */
function Legend({
  panel: { curves, figure },
  times,
  hovered,
}: {
  panel: PlotPanel;
  times: readonly number[];
  hovered: Signal<number | null>;
}) {
  const at = hovered.value === null ? times.length - 1 : nearest(times, hovered.value / 1_000);
  return (
    <ul class="history-legend">
      {curves.map(({ label, color, values, band }) => {
        const value = valueAt(values, at);
        const [low, high] = band === null ? [null, null] : [valueAt(band.low, at), valueAt(band.high, at)];
        const hasBand = low !== null && high !== null && figure.text(low) !== figure.text(high);
        return (
          <li key={label}>
            <span class="history-color" style={{ background: color }} />
            {label !== "" && <span class="soft">{label}</span>}
            <b>{value === null ? "–" : figure.text(value)}</b>
            {hasBand && <span class="soft">{`${figure.text(low)} to ${figure.text(high)}`}</span>}
          </li>
        );
      })}
    </ul>
  );
}
