import { policyName } from "../../../base/scheduling-policies.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { TaskCell } from "../contract.ts";
import { TASK_COLUMNS, type TaskColumnName } from "../task-columns.ts";
import type { TaskColumn, TaskRow } from "../wire.ts";

type Format = (value: string | number) => string;

const left = (label: string, format: Format = String) => ({ label, type: "string", align: "left", format }) as const;
const count = (label: string) => ({ label, type: "integer", align: "right", format: String }) as const;
const percent = (label: string) =>
  ({ label, type: "percent", align: "right", unit: "%", format: (value: string | number) => Number(value).toFixed(1) }) as const;

const STATES: Readonly<Record<string, string>> = {
  R: "running",
  S: "sleeping",
  D: "waiting for a device",
  Z: "zombie",
  T: "stopped",
  t: "traced",
  X: "dead",
  I: "idle",
};

const COLUMNS: Readonly<Record<TaskColumnName, Omit<TaskColumn, "name"> & { format: Format }>> = {
  pid: count("PID"),
  tid: count("TID"),
  ppid: count("Parent"),
  user: left("User"),
  process: left("Process"),
  name: left("Name"),
  state: left("State", (value) => STATES[value] ?? String(value)),
  policy: { ...count("Policy"), align: "left", format: (value) => policyName(Number(value)).toUpperCase() },
  prio: count("Priority"),
  nice: count("Nice"),
  affinity: left("CPUs", (value) => ranges(String(value))),
  processor: count("On CPU"),
  cpu_percent: percent("CPU"),
  memory_rss: { label: "Memory", type: "bytes", align: "right", unit: "B", format: (value) => bytes(Number(value)) },
  memory_percent: percent("Memory share"),
  threads: count("Threads"),
  start_time: left("Started", (value) => String(value).replace("T", " ").slice(0, 19)),
  cpu_time: { label: "CPU time", type: "duration", align: "right", unit: "s", format: (value) => duration(Number(value)) },
  command: left("Command"),
  env: left("Environment", (value) => String(value).replaceAll("\0", " ")),
};

/** Columns of a list with or without the environment, in order. */
export function taskColumns(showEnv: boolean): TaskColumn[] {
  return names(showEnv).map((name) => {
    const { format: _format, ...column } = COLUMNS[name];
    return { name, ...column };
  });
}

/** A row with formatted values, from cells in the order of TASK_COLUMNS. */
export function taskRow(cells: readonly TaskCell[], showEnv: boolean): TaskRow {
  const value = (name: TaskColumnName) => cells[TASK_COLUMNS.indexOf(name)] ?? null;
  const process = value("process");
  return {
    key: `${value("pid")}:${value("tid")}`,
    process: process === null ? null : String(process),
    cells: names(showEnv).map((name, index) => {
      const raw = cells[index] ?? null;
      return { raw, formatted: raw === null ? "" : visible(COLUMNS[name].format(raw)) };
    }),
  };
}

/** The environment is the last column. */
const WITHOUT_ENV = TASK_COLUMNS.filter((name) => name !== "env");
const names = (showEnv: boolean): readonly TaskColumnName[] => (showEnv ? TASK_COLUMNS : WITHOUT_ENV);

/** `0,1,2,3,8` as `0-3,8`. */
function ranges(cpus: string): string {
  const parts: { from: number; to: number }[] = [];
  for (const cpu of cpus.split(",").map(Number)) {
    const last = parts.at(-1);
    if (last?.to === cpu - 1) last.to = cpu;
    else parts.push({ from: cpu, to: cpu });
  }
  return parts.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

function bytes(value: number): string {
  let unit = 0;
  let rest = value;
  for (; rest >= 1024 && unit < UNITS.length - 1; unit++) rest /= 1024;
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${UNITS[unit]}`;
}

/** `1:02.34`, `1:02:03`, `2d 03:04:05`. */
function duration(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return `${days}d ${two(hours)}:${two(minutes)}:${two(seconds % 60)}`;
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return `${minutes}:${(seconds % 60).toFixed(2).padStart(5, "0")}`;
}
