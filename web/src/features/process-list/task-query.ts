import { cpuRanges } from "../../../../src/base/cpu-mask.ts";
import { TASK_COLUMNS } from "../../../../src/features/process-list/task-columns.ts";
import type { TaskColumn, TaskRow } from "../../../../src/features/process-list/wire.ts";

/** The parsed filter: a part that the host evaluates, and words that the page searches for. */
export interface TaskQuery {
  /** Items `key:op:value` joined by NUL, as in `request_process_list`. */
  filter: string;
  /** Words in lower case; a row has to contain all of them. */
  words: string[];
}

/** Short names of columns. */
const SHORT: Readonly<Record<string, string>> = {
  cpu: "cpu_percent",
  mem: "memory_rss",
  memory: "memory_rss",
  rss: "memory_rss",
  priority: "prio",
  cpus: "affinity",
  started: "start_time",
  time: "cpu_time",
  cmd: "command",
};
const KEYS: ReadonlySet<string> = new Set(TASK_COLUMNS);
const UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Parses a filter such as `cpu>5 user==root "two words"`; text that names no column is a word. */
export function parseTaskQuery(text: string): TaskQuery {
  const items: string[] = [];
  const words: string[] = [];
  for (const [, quoted, plain = ""] of text.matchAll(/"([^"]*)"?|((?:[^\s"]|"[^"]*"?)+)/g)) {
    const item = quoted === undefined ? itemOf(plain) : null;
    if (item !== null) items.push(item);
    else if ((quoted ?? plain) !== "") words.push((quoted ?? plain).toLowerCase());
  }
  return { filter: items.join("\0"), words };
}

function itemOf(text: string): string | null {
  const [, name = "", operator = "", written = ""] = /^([a-z_]+)(==|!=|<=|>=|!~|<|>|~|=)(.*)$/s.exec(text) ?? [];
  const key = Object.hasOwn(SHORT, name) ? SHORT[name] : name;
  if (key === undefined || !KEYS.has(key)) return null;
  const value = written.replaceAll('"', "");
  return `${key}:${operator === "=" ? "==" : operator}:${key === "memory_rss" ? bytes(value) : value}`;
}

/** Converts `100M` to bytes. */
function bytes(text: string): string {
  const [, number, unit = ""] = /^([\d.]+)([kmg])(?:i?b)?$/i.exec(text) ?? [];
  return number === undefined ? text : String(Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? 1)));
}

/** The filter for the threads of one process. */
export const queryOfProcess = (pid: number): string => `pid==${pid}`;

/** The rows that contain every word. */
export function filterTasks(rows: TaskRow[], { words }: TaskQuery): TaskRow[] {
  if (words.length === 0) return rows;
  return rows.filter(({ cells }) => {
    const text = cells
      .map(({ formatted }) => formatted)
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export interface Order {
  column: string;
  descending: boolean;
}

/** Sorts by one column, equal rows by pid and tid, so that they do not change places. Rows without a value come last. */
export function inOrder(rows: readonly TaskRow[], columns: readonly TaskColumn[], { column, descending }: Order): TaskRow[] {
  const at = columns.findIndex(({ name }) => name === column);
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left = null, right = null] = [a.cells[at]?.raw, b.cells[at]?.raw];
    if (left !== right && (left === null || right === null)) return left === null ? 1 : -1;
    return sign * compare(left, right) || byKey(a.key, b.key);
  });
}

type Raw = TaskRow["cells"][number]["raw"];

function compare(left: Raw, right: Raw): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  return String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0;
}

function byKey(a: string, b: string): number {
  const [pid = 0, tid = 0] = a.split(":").map(Number);
  const [otherPid = 0, otherTid = 0] = b.split(":").map(Number);
  return pid - otherPid || tid - otherTid;
}

/** Converts `0-3,6` to the protocol's `0,1,2,3,6`; null if the text is not a list of CPUs. */
export function cpuList(text: string): string | null {
  const cpus = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last] = /^\s*(\d{1,5})\s*(?:-\s*(\d{1,5})\s*)?$/.exec(part) ?? [];
    if (first === undefined) return null;
    const [from, to] = [Number(first), Number(last ?? first)];
    if (to < from || to > 8_191) return null;
    for (let cpu = from; cpu <= to; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b).join(",");
}

/** Describes the CPUs that the host did not apply; null if it applied all. Both lists have the protocol's form. */
export function clampText(wanted: string, got: string): string | null {
  return wanted === got ? null : `CPUs ${cpuRanges(wanted)}: this machine has ${cpuRanges(got)}`;
}
