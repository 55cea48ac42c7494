import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { cpuText } from "../../../../../src/client/shown/load-text.ts";
import { client, connection } from "../../../state/store.ts";
import { timeText } from "../range.ts";
import { curvePath } from "./curve-path.ts";
import { CurvePoll, type CurveValues } from "./curve-poll.ts";

/** The span of the curves, ms, and their points. */
const SPAN_MS = 600_000;
const POINTS = 30;
const SIZE = { width: 64, height: 18 };

const curves = signal<ReadonlyMap<string, CurveValues>>(new Map());
const isVisible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => {
  isVisible.value = !document.hidden;
});

const poll = new CurvePoll({
  ask: async (names) => {
    const now = Date.now();
    const { processes } = await client.request({
      type: "request_load_history",
      names: [...names],
      from: timeText(now - SPAN_MS),
      until: timeText(now),
      points: POINTS,
      series: ["cpu_percent"],
      statistics: ["mean"],
    });
    return new Map(processes.map(({ name, series }) => [name, series.cpu_percent?.mean ?? []]));
  },
  onAnswer: (answer) => {
    curves.value = answer;
  },
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as number),
});
effect(() => poll.switch(isVisible.value && connection.value.kind === "open"));

/** The CPU of a process in the last ten minutes. */
export function ProcessCurve({ name }: { name: string }) {
  useEffect(() => poll.show(name), [name]);
  const values = curves.value.get(name) ?? [];
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const { width, height } = SIZE;
  const label = `CPU of the last 10 min, at most ${cpuText(Math.max(...known))} %`;
  return (
    <svg class="process-curve" role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{label}</title>
      <path d={curvePath(values, SIZE)} />
    </svg>
  );
}
