import { SHOWN_STATES, type ShownState, shownState, stateText } from "../../../../client/shown/shown-state.ts";
import type { HostEntry, Process, ProcessLoad } from "../../../../protocol/resources/resources.ts";

/** What a process and everything below it use. */
export type Load = Pick<ProcessLoad, "cpu_percent" | "memory_rss">;

export type Verb = "start" | "stop" | "restart";

export const SORT_KEYS = ["name", "state", "pid", "cpu", "memory", "uptime", "restarts"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** Everything that the picture depends on. */
export interface TopState {
  instance: string;
  processes: readonly Process[];
  loads: ReadonlyMap<string, Load>;
  /** A short curve of each process by its name, and the title of that column; null: no feature has one. */
  trends: { readonly title: string; readonly curves: ReadonlyMap<string, string> } | null;
  /** By name. */
  hosts: ReadonlyMap<string, HostEntry>;
  sort: SortKey;
  descending: boolean;
  /** Failed processes, and those that are restarted after a failure, come first, whatever the column: until a column is chosen. */
  failuresFirst: boolean;
  /** Text that names or states have to hold. */
  filter: string;
  /** The filter is being typed. */
  isTyping: boolean;
  /** By name: rows change places, what is selected does not. */
  selected: string | null;
  isHelpShown: boolean;
  /** What is asked before it is done. */
  question: { verb: Verb; name: string; text: string } | null;
  /** The last output of a process. */
  output: { name: string; text: string } | null;
  /** Why there is no connection to the manager; null: there is one. Everything else is then what was seen last. */
  lost: string | null;
  message: { text: string; isBad: boolean } | null;
}

export const INITIAL: TopState = {
  instance: "",
  processes: [],
  loads: new Map(),
  trends: null,
  hosts: new Map(),
  sort: "cpu",
  descending: true,
  failuresFirst: true,
  filter: "",
  isTyping: false,
  selected: null,
  isHelpShown: false,
  question: null,
  output: null,
  lost: null,
  message: null,
};

/** The rows that are shown, in order. */
export function rowsOf(state: TopState): Process[] {
  const wanted = state.filter.toLowerCase();
  const sign = state.descending ? -1 : 1;
  return state.processes
    .filter(
      (process) => process.name.toLowerCase().includes(wanted) || stateText(process).includes(wanted) || process.state.includes(wanted),
    )
    .sort((a, b) => failures(state, a, b) || sign * compare(state, a, b) || (a.name < b.name ? -1 : 1));
}

function failures({ failuresFirst }: TopState, a: Process, b: Process): number {
  return failuresFirst ? rank(b) - rank(a) : 0;
}

const FAILURES: readonly ShownState[] = ["backoff", "error"];
const rank = (process: Process): number => FAILURES.indexOf(shownState(process));

function compare({ sort, loads }: TopState, a: Process, b: Process): number {
  switch (sort) {
    case "name":
      return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
    case "state":
      return SHOWN_STATES.indexOf(shownState(a)) - SHOWN_STATES.indexOf(shownState(b));
    case "pid":
      return (a.pid ?? 0) - (b.pid ?? 0);
    case "cpu":
      return (loads.get(a.name)?.cpu_percent ?? -1) - (loads.get(b.name)?.cpu_percent ?? -1);
    case "memory":
      return (loads.get(a.name)?.memory_rss ?? -1) - (loads.get(b.name)?.memory_rss ?? -1);
    case "uptime":
      return startOf(b) - startOf(a);
    case "restarts":
      return a.restarts - b.restarts;
  }
}

const startOf = ({ pid, start_time }: Process): number =>
  pid === null || start_time === null ? Number.MAX_SAFE_INTEGER : Date.parse(`${start_time}Z`);

/** The selected row's place, 0 where that is gone. */
export function selectedIndex(state: TopState, rows: readonly Process[]): number {
  return Math.max(
    0,
    rows.findIndex(({ name }) => name === state.selected),
  );
}

/** The process of the selected row. */
export function selectedProcess(state: TopState): Process | undefined {
  const rows = rowsOf(state);
  return rows[selectedIndex(state, rows)];
}

/** Running processes that a stop of `name` stops too. */
export function runningDependents(processes: readonly Process[], name: string): string[] {
  const found = new Set([name]);
  // A set shows what is added while it is walked.
  for (const each of found) for (const process of processes) if (process.stops_with.includes(each)) found.add(process.name);
  return processes.filter((process) => process.name !== name && found.has(process.name) && process.pid !== null).map((each) => each.name);
}
