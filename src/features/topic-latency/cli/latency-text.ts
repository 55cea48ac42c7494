import { policyName } from "../../../base/scheduling-policies.ts";
import { visible } from "../../../base/visible-text.ts";
import { type Column, table } from "../../../cli/output/table.ts";
import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import type { LatencyFigures, LatencyPath, LatencyStage } from "../wire.ts";

type Latency = Omit<Extract<AnswerOf<"measure_topic_latency">, { ok: true }>, "type" | "request_id" | "ok">;

const BAR_WIDTH = 40;
/** Threads of one program that are listed: those that waited longest. */
const LISTED_THREADS = 3;

/** The result of a measurement for a terminal, with its line end. */
export function latencyText(measured: Latency): string {
  const { name, messages, host, sample_seconds, paths, incident } = measured;
  const parts = [`${messages} messages of ${name} in ${sample_seconds} s, measured on ${host}`, ...remarks(measured)];
  const text = [
    parts.map((part) => visible(part)).join("\n"),
    ...paths.map(pathText),
    ...(paths.length === 0 ? [] : [programsText(measured.stages)]),
  ];
  if (incident !== null) text.push(`The worst case is in incident ${visible(incident)}: mgr incidents show ${visible(incident)}`);
  return `${text.join("\n\n")}\n`;
}

function remarks({ lost, unstamped, late, limit_ms, one_in, other_paths, unmatched, messages, paths }: Latency): string[] {
  const said: [boolean, string][] = [
    [lost > 0, `${lost} were lost before the broker (gaps in Mgr-Seq)`],
    [unstamped > 0, `${unstamped} do not state when they were published (Mgr-Time), and are not measured`],
    [limit_ms !== null, `${late} took longer than ${limit_ms} ms to the broker`],
    [one_in > 1, `more than can be measured: one in ${one_in} was`],
    [unmatched > 0, `${unmatched} did not pass the topics of the chain`],
    [other_paths > 0, `${other_paths} came by further chains, and are not measured: choose one with --chain`],
    [paths.some(({ total }) => total.below_zero > 0), "some arrived before they were sent: the clocks differ by more than is known"],
    [messages === 0, "nothing was published: measure longer with --for, or see 'mgr topic why'"],
  ];
  return said.filter(([isSo]) => isSo).map(([, text]) => text);
}

function pathText({ topics, total, legs }: LatencyPath): string {
  interface Row {
    step: string;
    figures: LatencyFigures;
  }
  const rows: Row[] = legs.map((figures, index) => ({ step: `${topics[index]} → ${topics[index + 1] ?? "broker"}`, figures }));
  if (topics.length > 1) rows.push({ step: `${topics[0]} → broker (in all)`, figures: total });
  const ms = (title: string, read: (figures: LatencyFigures) => number): Column<Row> => ({
    title,
    text: ({ figures }) => read(figures).toFixed(3),
    right: true,
  });
  const steps = table<Row>(
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
    rows,
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
      { title: "CLOCK", text: ({ stage }) => clockText(stage) },
      of(({ tid }) => tid, "THREAD"),
      of(({ thread }) => thread, "NAME", false),
      of(({ policy, prio }) => `${policyName(policy).toUpperCase()}${prio > 0 ? ` ${prio}` : ""}`, "POLICY", false),
      of(({ nice }) => nice, "NICE"),
      of(({ affinity }) => affinity, "CPUS", false),
      of(({ cpu_percent }) => `${cpu_percent} %`, "CPU"),
      of(({ wait_ms, turns }) => `${wait_ms.toFixed(3)} ms in ${turns}`, "WAITED"),
      of(({ involuntary }) => involuntary, "PREEMPTED"),
    ],
    rows,
  );
  return `${listed}\nChange the scheduling in the tasks of the host on the page, or with the frame apply_topic_scheduling: mgr call`;
}

function clockText({ offset_ms, uncertainty_ms }: LatencyStage): string {
  if (offset_ms === null || uncertainty_ms === null) return "not measured";
  return offset_ms === 0 && uncertainty_ms === 0 ? "same" : `${offset_ms > 0 ? "+" : ""}${offset_ms} ± ${uncertainty_ms} ms`;
}
