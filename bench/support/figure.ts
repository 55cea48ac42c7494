import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/** What others did on the machine before the first measurement: figures of a busy one are lower. */
const [loadBefore = 0] = loadavg();

/** A figure and its peer, from the same run: one line of JSON. Further values may stand beside the two. */
export interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly value: number;
  /** What the figure is measured beside. */
  readonly peer: string;
  readonly peer_value: number;
  readonly [more: string]: unknown;
}

export function printFigure(figure: Figure): void {
  console.log(JSON.stringify({ ...figure, load_before: rounded(loadBefore, 1), machine: machine() }));
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** The value below which `fraction` of all values lie. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** The median of one value of many measurements. */
export function medianOf<K extends string>(measured: readonly Readonly<Record<K, number>>[], key: K): number {
  return percentile(
    measured.map((one) => one[key]),
    0.5,
  );
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function machine(): string {
  const model = /^model name\s*:\s*(.+)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1] ?? process.arch;
  return `${model}, ${availableParallelism()} cores, Node ${process.version}`;
}
