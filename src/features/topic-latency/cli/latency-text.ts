import { cpuRanges } from "../../../base/cpu-mask.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { type Column, table } from "../../../cli/output/table.ts";
import { clockOffsetText } from "../../../client/shown/clock-offset.ts";
import { type Latency, LISTED_THREADS, policyText, remarks, stepsOf } from "../latency-words.ts";
import type { LatencyFigures, LatencyPath, LatencyStage } from "../wire.ts";

type Step = ReturnType<typeof stepsOf>[number];

const BAR_WIDTH = 40;
const HINTS = { longer: "measure longer with --for, or see 'mgr topic why'", chain: "choose one with --chain" };

/** The result of a measurement for a terminal, with its line end. */
export function latencyText(measured: Latency): string {
  const { name, messages, host, sample_seconds, paths, incident } = measured;
  const parts = [`${messages} messages of ${name} in ${sample_seconds} s, measured on ${host}`, ...remarks(measured, HINTS)];
  const text = [
    parts.map((part) => visible(part)).join("\n"),
    ...paths.map(pathText),
    ...(paths.length === 0 ? [] : [programsText(measured.stages)]),
  ];
  if (incident !== null) text.push(`The worst case is in incident ${visible(incident)}: mgr incidents show ${visible(incident)}`);
  return `${text.join("\n\n")}\n`;
}

function pathText(path: LatencyPath): string {
  const { total } = path;
  const ms = (title: string, read: (figures: LatencyFigures) => number): Column<Step> => ({
    title,
    text: ({ figures }) => read(figures).toFixed(3),
    right: true,
  });
  const steps = table<Step>(
    [
      { title: "STEP (ms)", text: ({ step }) => step },
      { title: "MESSAGES", text: ({ figures }) => String(figures.messages), right: true },
      ms("MIN", ({ min_ms }) => min_ms),
      ms("P50", ({ p50_ms }) => p50_ms),
      ms("P90", ({ p90_ms }) => p90_ms),
      ms("P99", ({ p99_ms }) => p99_ms),
      ms("P99.9", ({ p999_ms }) => p999_ms),
      ms("MAX", ({ max_ms }) => max_ms),
      ms("JITTER", ({ deviation_ms }) => deviation_ms),
      ms("RFC 3550", ({ jitter_ms }) => jitter_ms),
    ],
    stepsOf(path),
  );
  const { until, seq } = total.worst;
  const number = seq === null ? "" : `, message ${seq}`;
  return `${steps}\n\n${histogramText(total)}\nworst case: ${total.max_ms.toFixed(3)} ms at ${until} UTC${number}`;
}

function histogramText({ histogram }: LatencyFigures): string {
  const most = Math.max(...histogram.map(({ messages }) => messages));
  return table(
    [
      { title: "FROM", text: ({ from_ms }) => `${from_ms} ms`, right: true },
      { title: "MESSAGES", text: ({ messages }) => String(messages), right: true },
      { title: "", text: ({ messages }) => "█".repeat(Math.ceil((BAR_WIDTH * messages) / most)) },
    ],
    histogram,
  );
}

function programsText(stages: readonly LatencyStage[]): string {
  interface Row {
    stage: LatencyStage;
    thread: LatencyStage["threads"][number] | null;
  }
  const rows = stages.flatMap((stage): Row[] => {
    const threads = stage.threads.slice(0, LISTED_THREADS);
    return threads.length === 0 ? [{ stage, thread: null }] : threads.map((thread) => ({ stage, thread }));
  });
  const of = (read: (thread: NonNullable<Row["thread"]>) => string | number, title: string, right = true): Column<Row> => ({
    title,
    text: ({ thread }) => (thread === null ? "-" : String(read(thread))),
    right,
  });
  const listed = table<Row>(
    [
      { title: "TOPIC", text: ({ stage }) => stage.topic },
      { title: "PROGRAM", text: ({ stage }) => stage.client ?? "-" },
      { title: "HOST", text: ({ stage }) => stage.host ?? "-" },
      { title: "CLOCK", text: ({ stage }) => clockOffsetText(stage) },
      of(({ tid }) => tid, "THREAD"),
      of(({ thread }) => thread, "NAME", false),
      of(policyText, "POLICY", false),
      of(({ nice }) => nice, "NICE"),
      of(({ affinity }) => cpuRanges(affinity), "CPUS", false),
      of(({ cpu_percent }) => `${cpu_percent} %`, "CPU"),
      of(({ wait_ms, turns }) => `${wait_ms.toFixed(3)} ms in ${turns}`, "WAITED"),
      of(({ involuntary }) => involuntary, "PREEMPTED"),
    ],
    rows,
  );
  return `${listed}\nChange the scheduling in the tasks of the host on the page, or with the frame apply_topic_scheduling: mgr call`;
}
