import { cpuText, memoryText } from "../../../../../src/client/shown/load-text.ts";
import { bytesText } from "../../../../../src/client/shown/units.ts";
import type { RecordedMessage } from "../../recordings/file/recorded-file.ts";

/** A figure of a machine, a process or a part of the network over time. */
export interface Curve {
  readonly title: string;
  readonly points: readonly { readonly time: number; readonly value: number }[];
  readonly text: (value: number) => string;
}

type Figure = readonly [field: string, word: string, text: Curve["text"]];

const percentText = (value: number) => `${cpuText(value)} %`;
const rateText = (value: number) => `${bytesText(Math.round(value))}/s`;
const secondText = (value: number) => `${Number(value.toPrecision(3))}/s`;
const millisecondText = (value: number) => `${Number(value.toPrecision(3))} ms`;

const FIGURES = {
  machine: [
    ["cpu_percent", "CPU", percentText],
    ["memory_used", "memory", memoryText],
  ],
  process: [
    ["cpu_percent", "CPU", percentText],
    ["memory", "memory", memoryText],
  ],
  interface: [
    ["rx_bytes_s", "in", rateText],
    ["tx_bytes_s", "out", rateText],
    ["rx_errors_s", "errors in", secondText],
    ["tx_errors_s", "errors out", secondText],
    ["rx_drops_s", "dropped in", secondText],
    ["tx_drops_s", "dropped out", secondText],
  ],
  link: [
    ["rtt_ms", "round trip", millisecondText],
    ["sent_bytes_s", "sent", rateText],
    ["received_bytes_s", "received", rateText],
    ["retransmits_s", "retransmitted", secondText],
  ],
} as const satisfies Record<string, readonly Figure[]>;

/** The load of each machine, and of one process if there is one. `messages`: in the order of time. */
export function loadCurves(messages: readonly RecordedMessage[], process: string | null): Curve[] {
  const own = messages.filter((message) => message.topic === "mgr/load" && fieldOf(message, "name") === process);
  return [
    ...curvesOf(messages, "mgr/machine", ({ host }) => host, FIGURES.machine),
    ...(process === null ? [] : FIGURES.process.map((figure) => curveOf(process, figure, own))),
  ].filter(({ points }) => points.length > 0);
}

/** The links between hosts, then the interfaces of each host; figures that were always 0 are left out. `messages`: in the order of time. */
export function networkCurves(messages: readonly RecordedMessage[]): Curve[] {
  const nameOf = (message: RecordedMessage) => `${message.host} ${String(fieldOf(message, "interface"))}`;
  return [
    ...curvesOf(messages, "mgr/link", ({ host }) => `${host} link`, FIGURES.link),
    ...curvesOf(messages, "mgr/interfaces", nameOf, FIGURES.interface),
  ].filter(({ points }) => points.some(({ value }) => value > 0));
}

/** The curves of each thing that messages of a topic are about. */
function curvesOf(
  messages: readonly RecordedMessage[],
  topic: string,
  nameOf: (message: RecordedMessage) => string,
  figures: readonly Figure[],
): Curve[] {
  const about = new Map<string, RecordedMessage[]>();
  for (const message of messages) {
    if (message.topic !== topic) continue;
    const name = nameOf(message);
    const known = about.get(name);
    if (known === undefined) about.set(name, [message]);
    else known.push(message);
  }
  return [...about].flatMap(([name, samples]) => figures.map((figure) => curveOf(name, figure, samples)));
}

function curveOf(of: string, [field, word, text]: Figure, samples: readonly RecordedMessage[]): Curve {
  const points = samples.flatMap((message) => {
    const value = fieldOf(message, field);
    return typeof value === "number" ? [{ time: message.time, value }] : [];
  });
  return { title: `${of} ${word}`, points, text };
}

const fieldOf = ({ value }: RecordedMessage, field: string): unknown => (Object(value) as Record<string, unknown>)[field];

/** The last value until a time; null: there is none. */
export function valueUntil({ points }: Curve, time: number): number | null {
  return points.findLast((point) => point.time <= time)?.value ?? null;
}
