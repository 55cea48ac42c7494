import { plainText } from "../../../base/patterns/output-filter.ts";
import { visible, visibleLines } from "../../../base/text/visible-text.ts";
import { cpuText, memoryText } from "../../../client/shown/load-text.ts";
import { bytesText, spanText } from "../../../client/shown/units.ts";
import { parseTime } from "../../../protocol/time.ts";
import type { CrashReport, CrashSummary } from "../wire.ts";

export type NumberedReport = CrashReport & { readonly number: number | null };

/** How a run ended: "ended by SIGSEGV, core dumped"; with the reason, if there is one. */
export function endText({ code, signal, reason, dumped_core }: Pick<CrashSummary, "code" | "signal" | "reason" | "dumped_core">): string {
  const end = signal !== null ? `ended by ${signal}${dumped_core ? ", core dumped" : ""}` : code !== null ? `exit code ${code}` : null;
  if (end === null) return reason ?? "failed";
  return reason === null ? end : `${end}: ${reason}`;
}

/** "run 12 (7-3)", or the id alone where the number is not known. */
export const runText = ({ run_id, number }: { run_id: string; number: number | null }): string =>
  number === null ? `run ${run_id}` : `run ${number} (${run_id})`;

/** Seconds of a time, in UTC. */
export const timeText = (time: string): string => `${time.slice(0, 19).replace("T", " ")} UTC`;

/** Series with their titles, and values as text. */
const SHOWN: readonly (readonly [series: string, title: string, text: (value: number) => string])[] = [
  ["cpu_percent", "CPU, percent of one CPU", cpuText],
  ["memory", "Memory", memoryText],
  ["threads", "Threads", whole],
  ["descriptors", "Open descriptors", whole],
  ["read_bytes_s", "Read from disks", (value) => `${bytesText(value)}/s`],
  ["written_bytes_s", "Written to disks", (value) => `${bytesText(value)}/s`],
  ["context_switches_s", "Context switches", rate],
  ["major_faults_s", "Major page faults", rate],
];

function whole(value: number): string {
  return String(Math.round(value));
}

function rate(value: number): string {
  return `${value > 0 && value < 10 ? value.toFixed(1) : whole(value)}/s`;
}

/** One series of the load before a crash. */
export interface ShownSeries {
  readonly title: string;
  /** Means by point, null where nothing was measured. */
  readonly values: readonly (number | null)[];
  readonly most: string;
  readonly last: string;
}

/** The series of the load that were measured. */
export function shownSeries(resources: NonNullable<CrashReport["resources"]>): ShownSeries[] {
  return SHOWN.flatMap(([series, title, text]) => {
    const curve = resources.series[series];
    const most = Math.max(...(curve?.max ?? []).map((value) => value ?? Number.NEGATIVE_INFINITY));
    const last = curve?.mean.findLast((value) => value !== null);
    return curve === undefined || last == null || !Number.isFinite(most)
      ? []
      : [{ title, values: curve.mean, most: text(most), last: text(last) }];
  });
}

/** The rows of a report beyond its larger parts: what it is about, and where it ran. */
export function facts(report: NumberedReport): (readonly [term: string, value: string])[] {
  const { start_time, time, pid, skipped, restarts, user } = report;
  return [
    ["End", timeText(time)],
    ...(start_time === null
      ? []
      : ([["Start", `${timeText(start_time)}, ${spanText(parseTime(time) - parseTime(start_time))} before`]] as const)),
    ["Run", runText(report)],
    ...(pid === null ? [] : ([["Pid", String(pid)]] as const)),
    ["Host", report.host],
    ...(restarts === null ? [] : ([["Restarts", String(restarts)]] as const)),
    ...(skipped === 0 ? [] : ([["Without a report", `${skipped} crashes between the report before and this one`]] as const)),
    ["Command", report.command],
    ["Folder", report.cwd],
    ...(user === null ? [] : ([["User", user]] as const)),
  ];
}

/** The rows about versions. */
export function versionFacts({ versions: { definition, executable, kernel } }: CrashReport): (readonly [term: string, value: string])[] {
  return [
    ["Definition", definition],
    ...(executable === null
      ? []
      : ([
          ["Program", executable.path],
          ["Size", bytesText(executable.size)],
          ["Changed", `${timeText(executable.modified)}${executable.replaced ? "; it was replaced or removed since" : ""}`],
          ...(executable.build_id === null ? [] : ([["Build id", executable.build_id]] as const)),
        ] as const)),
    ["Kernel", kernel],
  ];
}

/** Sentences about the core dump and the kernel. */
export function coreText({ core, core_problem }: Pick<CrashReport, "core" | "core_problem">): string | null {
  return core === null ? core_problem : `${core.path} (${bytesText(core.size)})`;
}

export function kernelTexts({ kernel: { lines, log_problem, oom_kills, oom_problem } }: CrashReport): string[] {
  return [
    ...lines.map(({ time, text }) => `${time.slice(11)} ${text}`),
    ...(lines.length === 0 && log_problem === null ? ["No line of the kernel's log names the process."] : []),
    ...(log_problem === null ? [] : [`Kernel's log: ${log_problem}.`]),
    ...(oom_kills === null || oom_kills === 0 ? [] : [`The kernel killed ${oom_kills} processes of its cgroup for lack of memory.`]),
    ...(oom_kills === 0 ? ["The kernel killed nothing in its cgroup for lack of memory."] : []),
    ...(oom_problem === null ? [] : [`Out-of-memory kills: ${oom_problem}.`]),
  ];
}

export const limitText = (value: number | null): string => (value === null ? "unlimited" : String(value));

/** Output and backtraces as a person reads them: lines without escape sequences and tabs; other controls are visible. */
export const readable = (text: string): string => visibleLines(plainText(text.replaceAll("\r\n", "\n")).replaceAll("\t", "    "));

/** A whole report as text for a terminal or a file: everything in it that came from elsewhere is harmless there. */
export function reportText(report: NumberedReport): string {
  const { output, resources, resources_problem, limits, backtrace, backtrace_problem } = report;
  const core = coreText(report);
  const parts: (readonly [title: string, lines: readonly string[]] | null)[] = [
    ["", [`${visible(report.name)}: ${visible(endText(report))}`]],
    ["", rows(facts(report))],
    output && ["Last output", [...(output.truncated ? [`(the newest of ${bytesText(output.bytes)})`] : []), ...linesOf(output.text)]],
    ["Kernel", kernelTexts(report)],
    core === null ? null : ["Core dump", [core]],
    backtrace === null && backtrace_problem === null
      ? null
      : ["Backtrace", backtrace === null ? [backtrace_problem ?? ""] : [...linesOf(backtrace.text), ...(backtrace.truncated ? ["…"] : [])]],
    ["Load of the last ten minutes", resources === null ? [resources_problem ?? ""] : loadRows(resources)],
    limits && [
      "Limits (soft, hard)",
      rows(Object.entries(limits).map(([name, { soft, hard }]) => [name, `${limitText(soft)}, ${limitText(hard)}`])),
    ],
    ["Versions", rows(versionFacts(report))],
  ];
  const texts = parts.flatMap((part) =>
    part === null ? [] : `${part[0] === "" ? "" : `${part[0]}\n`}${part[1].map(indented(part[0] !== "")).join("\n")}\n`,
  );
  return texts.join("\n");
}

const indented = (isIndented: boolean) => (line: string) => `${isIndented ? "  " : ""}${visible(line)}`;
const linesOf = (text: string): string[] => readable(text).replace(/\n$/, "").split("\n");

const loadRows = (resources: NonNullable<CrashReport["resources"]>): string[] =>
  rows(shownSeries(resources).map(({ title, most, last }) => [title, `${last} at the end, at most ${most}`]));

function rows(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([term]) => term.length));
  return pairs.map(([term, value]) => `${term.padEnd(width)}  ${value}`);
}
