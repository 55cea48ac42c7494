import { cpuText, memoryText } from "../../../../../src/client/shown/load-text.ts";
import type { RecordedMessage } from "../../recordings/file/recorded-file.ts";

/** A figure of a machine or a process over time. */
export interface LoadCurve {
  readonly title: string;
  readonly points: readonly { readonly time: number; readonly value: number }[];
  readonly text: (value: number) => string;
}

const percentText = (value: number) => `${cpuText(value)} %`;
const FIGURES = {
  machine: [
    ["cpu_percent", "CPU", percentText],
    ["memory_used", "memory", memoryText],
  ],
  process: [
    ["cpu_percent", "CPU", percentText],
    ["memory", "memory", memoryText],
  ],
} as const;

/** The load of each machine, and of one process if there is one. `messages`: in the order of time. */
export function loadCurves(messages: readonly RecordedMessage[], process: string | null): LoadCurve[] {
  const machines = new Map<string, RecordedMessage[]>();
  const own: RecordedMessage[] = [];
  for (const message of messages) {
    if (message.topic === "mgr/machine") machines.set(message.host, [...(machines.get(message.host) ?? []), message]);
    else if (message.topic === "mgr/load" && fieldOf(message, "name") === process) own.push(message);
  }
  return [
    ...[...machines].flatMap(([host, samples]) => FIGURES.machine.map((figure) => curveOf(host, figure, samples))),
    ...(process === null ? [] : FIGURES.process.map((figure) => curveOf(process, figure, own))),
  ].filter(({ points }) => points.length > 0);
}

function curveOf(
  of: string,
  [field, word, text]: readonly [field: string, word: string, text: LoadCurve["text"]],
  samples: readonly RecordedMessage[],
): LoadCurve {
  const points = samples.flatMap((message) => {
    const value = fieldOf(message, field);
    return typeof value === "number" ? [{ time: message.time, value }] : [];
  });
  return { title: `${of} ${word}`, points, text };
}

const fieldOf = ({ value }: RecordedMessage, field: string): unknown => (Object(value) as Record<string, unknown>)[field];

/** The last value until a time; null: there is none. */
export function valueUntil({ points }: LoadCurve, time: number): number | null {
  return points.findLast((point) => point.time <= time)?.value ?? null;
}
