import stringWidth from "string-width";
import { OutputFilter } from "../../../../base/patterns/output-filter.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import { memoryText } from "../../../../client/shown/load-text.ts";
import { SHOWN_STATES, shownState, wordOf } from "../../../../client/shown/shown-state.ts";
import type { Process } from "../../../../protocol/resources/resources.ts";
import { COLOUR } from "../../../output/named-lines.ts";
import { remark, uptime } from "../../../output/process-text.ts";
import { paint, paintState } from "../../../output/table.ts";
import { inColumns } from "../../../output/text-width.ts";
import type { Size } from "../../../terminal/screen.ts";
import { type Load, rowsOf, type SortKey, selectedIndex, type TopState } from "./model.ts";

/** Number of lines above the list, and below it. */
const HEAD = 3;
const FOOT = 1;
const MIN_ROWS_FOR_OUTPUT = 16;
const MAX_PANE_ROWS = 11;
const MIN_NAME_WIDTH = 12;
const MAX_NAME_WIDTH = 48;
const TREND_WIDTH = 12;

interface Column {
  key: SortKey | null;
  title: string;
  width: number;
  right?: boolean;
  text: (process: Process, state: TopState) => string;
  paint?: (process: Process, text: string) => string;
}

const NAME: Column = { key: "name", title: "NAME", width: MIN_NAME_WIDTH, text: ({ name }) => name };
const now = ({ host }: Process, { hosts }: TopState) => Date.now() + 1_000 * (hosts.get(host)?.clock_offset ?? 0);
const WHY: Column = {
  key: null,
  title: "",
  width: 0,
  text: (process, state) => remark(process, now(process, state), state.hosts.get(process.host)),
};
const HOST: Column = {
  key: null,
  title: "HOST",
  width: 14,
  text: ({ host, host_ready }) => (host_ready ? host : `${host} away`),
  paint: ({ host_ready }, text) => (host_ready ? text : paint("yellow", text)),
};
/** Columns by priority: if there is little room, the last one is left out first. */
const COLUMNS: readonly Column[] = [
  {
    key: "state",
    title: "STATE",
    width: 10,
    text: (process) => wordOf(shownState(process)),
    paint: (process, text) => paintState(shownState(process), text),
  },
  { key: "cpu", title: "CPU%", width: 6, right: true, text: ({ name }, { loads }) => loads.get(name)?.cpu_percent.toFixed(1) ?? "-" },
  { key: "memory", title: "MEMORY", width: 9, right: true, text: ({ name }, { loads }) => memory(loads.get(name)) },
  { key: "pid", title: "PID", width: 8, right: true, text: ({ pid }) => (pid === null ? "-" : String(pid)) },
  {
    key: "uptime",
    title: "UPTIME",
    width: 8,
    right: true,
    text: (process, state) => uptime(process, now(process, state)),
  },
  { key: "restarts", title: "RESTARTS", width: 8, right: true, text: ({ restarts }) => String(restarts) },
];

/** Number of lines of output below the list, with their headline; a small terminal has none. */
const paneOf = ({ rows }: Size): number => (rows < MIN_ROWS_FOR_OUTPUT ? 0 : Math.min(MAX_PANE_ROWS, Math.floor(rows / 4)));

/** Number of visible rows of the list. */
export const pageOf = (size: Size): number => Math.max(1, size.rows - HEAD - FOOT - paneOf(size));

/** The whole screen, one text per line, each as wide as the screen. `top` is the first visible row, before and now. */
export function picture(state: TopState, size: Size, top: number): { lines: string[]; top: number } {
  if (state.isHelpShown) return { lines: filled(HELP, size), top };
  const rows = rowsOf(state);
  const selected = selectedIndex(state, rows);
  const page = pageOf(size);
  const first = Math.max(0, Math.min(Math.max(top, selected - page + 1), selected, Math.max(0, rows.length - page)));
  const columns = columnsFor(state, size.cols);
  const list = rows
    .slice(first, first + page)
    .map((process, index) => rowLine(process, columns, { state, isSelected: first + index === selected, size }));
  while (list.length < page) list.push(" ".repeat(size.cols));
  if (rows.length === 0) list[0] = inColumns(state.processes.length === 0 ? "no processes are configured" : "no matches", size.cols);
  const lines = [
    titleLine(state, size),
    summaryLine(state, rows.length, size),
    headLine(state, columns, size),
    ...list,
    ...outputPane(state, rows[selected], size),
    footLine(state, size),
  ];
  return { lines: lines.slice(0, size.rows), top: first };
}

const trend = (title: string): Column => ({
  key: null,
  title,
  width: TREND_WIDTH,
  text: ({ name }, { trends }) => trends?.curves.get(name) ?? "",
});

function columnsFor({ processes, trends }: TopState, cols: number): Column[] {
  const longest = Math.min(MAX_NAME_WIDTH, Math.max(MIN_NAME_WIDTH, ...processes.map(({ name }) => stringWidth(name))));
  const isOnSeveralHosts = new Set(processes.map(({ host }) => host)).size > 1;
  const all = [...COLUMNS, ...(isOnSeveralHosts ? [HOST] : []), ...(trends === null ? [] : [trend(trends.title)])];
  const used = () => all.reduce((sum, { width }) => sum + width + 1, 0);
  while (all.length > 1 && cols - used() < MIN_NAME_WIDTH) all.pop();
  const rest = cols - used();
  const name = { ...NAME, width: Math.max(1, Math.min(longest, rest)) };
  const why = { ...WHY, width: rest - name.width - 1 };
  return why.width >= MIN_NAME_WIDTH ? [name, ...all, why] : [{ ...name, width: Math.max(1, rest) }, ...all];
}

function rowLine(
  process: Process,
  columns: Column[],
  { state, isSelected, size }: { state: TopState; isSelected: boolean; size: Size },
): string {
  const cells = columns.map(({ width, right, text }) => inColumns(text(process, state), width, right));
  const line = cells.join(" ");
  const spare = size.cols - columns.reduce((sum, { width }) => sum + width + 1, -1);
  if (isSelected) return inverse(inColumns(line, size.cols));
  // The width of painted text cannot be measured.
  if (spare < 0) return inColumns(line, size.cols);
  return columns.map(({ paint: colour }, index) => colour?.(process, cells[index] ?? "") ?? cells[index]).join(" ") + " ".repeat(spare);
}

function titleLine({ instance, processes, loads, lost }: TopState, { cols }: Size): string {
  if (lost !== null)
    return paint("red", inColumns(`mgr top - ${instance}  connection lost, reconnecting; showing the last known state. ${lost}`, cols));
  const all = [...loads.values()];
  const cpu = all.reduce((sum, load) => sum + load.cpu_percent, 0).toFixed(1);
  const used = memoryText(all.reduce((sum, load) => sum + load.memory_rss, 0));
  const use = all.length === 0 ? "measuring …" : `CPU ${cpu}%  memory ${used}`;
  return paint("bold", inColumns(`mgr top - ${instance}  ${processes.length} processes  ${use}`, cols));
}

function summaryLine({ processes, filter, isTyping }: TopState, shown: number, { cols }: Size): string {
  if (isTyping) return inColumns(`Filter: ${filter}█`, cols);
  const counts = SHOWN_STATES.flatMap((state) => {
    const count = processes.filter((process) => shownState(process) === state).length;
    return count === 0 ? [] : `${count} ${wordOf(state)}`;
  }).join("  ");
  return inColumns(filter === "" ? counts : `Filter: ${filter}  (${shown} of ${processes.length}; Esc clears)`, cols);
}

function headLine({ sort, descending }: TopState, columns: Column[], { cols }: Size): string {
  const titles = columns.map(({ key, title, width, right }) => {
    const arrow = key === sort ? (descending ? "↓" : "↑") : "";
    return inColumns(title.slice(0, width - arrow.length) + arrow, width, right);
  });
  return paint("grey", inColumns(titles.join(" "), cols));
}

/** The last output of the selected process, or why there is none. */
function outputPane(state: TopState, process: Process | undefined, size: Size): string[] {
  const height = paneOf(size);
  if (height === 0) return [];
  const { cols } = size;
  const title = process === undefined ? "" : ` output of ${process.name} `;
  const rule = `──${title}`;
  const head = paint("grey", inColumns(rule + "─".repeat(Math.max(0, cols - stringWidth(visible(rule)))), cols));
  const text = process === undefined || state.output?.name !== process.name ? "" : state.output.text;
  const lines = lastLines(text, height - 1);
  if (lines.length === 0 && process !== undefined && state.output?.name === process.name)
    lines.push(process.pid === null ? `No output: ${remark(process, now(process, state)) || process.state}.` : "No output yet.");
  return [head, ...Array.from({ length: height - 1 }, (_, index) => inColumns(lines[index] ?? "", cols))];
}

function lastLines(text: string, count: number): string[] {
  const filter = new OutputFilter();
  return (filter.write(text) + filter.end())
    .replace(COLOUR, "")
    .replace(/\s+$/u, "")
    .split("\n")
    .slice(-count)
    .map((line) => line.replace(/\r+$/, "").split("\r").at(-1)?.replaceAll("\t", "    ") ?? "")
    .filter((line, _index, all) => all.length > 1 || line !== "");
}

function footLine({ message, question }: TopState, { cols }: Size): string {
  if (question !== null) return paint("yellow", inColumns(question.text, cols));
  if (message !== null) return paint(message.isBad ? "red" : "green", inColumns(message.text, cols));
  return paint("grey", inColumns("s start  x stop  r restart  Enter attach  / filter  < > sort  ? help  q quit", cols));
}

const HELP = [
  "mgr top",
  "",
  "  ↑ ↓ k j              select a process",
  "  PgUp PgDn Home End",
  "  s  x  r              start, stop, restart the process; stop and restart",
  "                       ask first",
  "  Enter                attach to the process; Ctrl-] returns",
  "",
  "  /                    filter by name or state; Esc clears the filter",
  "  < >                  change the sort column",
  "  N T P C M U R        sort by name, state, pid, CPU, memory, uptime, restarts",
  "  f                    failed processes first, then by CPU (the default)",
  "  i                    invert the order",
  "",
  "  Ctrl-L               redraw",
  "  Ctrl-Z               suspend",
  "  q  Ctrl-C            quit",
  "",
  "CPU is in percent of one CPU over the last two seconds, memory is resident",
  "memory. Both include all descendants of a process.",
  "",
  "Press any key to return.",
];

function filled(text: readonly string[], { rows, cols }: Size): string[] {
  return Array.from({ length: rows }, (_, index) => inColumns(text[index] ?? "", cols));
}

/** Inverts a text, also without colours: it is the only sign of the selection. */
const inverse = (text: string) => `\x1b[7m${text}\x1b[0m`;

function memory(load: Load | undefined): string {
  return load === undefined ? "-" : memoryText(load.memory_rss);
}
