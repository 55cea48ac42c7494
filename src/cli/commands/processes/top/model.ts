import { SHOWN_STATES, type ShownState, shownState, stateText } from "../../../../client/shown/shown-state.ts";
import type { HostEntry, Process, ProcessLoad } from "../../../../protocol/resources/resources.ts";

/** CPU and memory of a process and all its descendants. */
export type Load = Pick<ProcessLoad, "cpu_percent" | "memory_rss">;

export type Verb = "start" | "stop" | "restart";

export const SORT_KEYS = ["name", "state", "pid", "cpu", "memory", "uptime", "restarts"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** State that the picture depends on. */
export interface TopState {
  instance: string;
  processes: readonly Process[];
  loads: ReadonlyMap<string, Load>;
  /** Hosts by name. */
  hosts: ReadonlyMap<string, HostEntry>;
  sort: SortKey;
  descending: boolean;
  /** Whether failed processes, and those restarted after a failure, come first, whatever the column: until a column is chosen. */
  failuresFirst: boolean;
  /** Text that names or states have to contain. */
  filter: string;
  /** Whether the filter is being typed. */
  isTyping: boolean;
  /** Name of the selected process: rows change places, the selection does not. */
  selected: string | null;
  isHelpShown: boolean;
  /** Question before a command; null: none. */
  question: { verb: Verb; name: string; text: string } | null;
  /** The last output of a process. */
  output: { name: string; text: string } | null;
  /** Reason why the connection to the manager is lost, when everything else is the last known state; null: connected. */
  lost: string | null;
  message: { text: string; isBad: boolean } | null;
}

export const INITIAL: TopState = {
  instance: "",
  processes: [],
  loads: new Map(),
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
  const filterText = state.filter.toLowerCase();
  const sign = state.descending ? -1 : 1;
  return state.processes
    .filter(
      (process) =>
        process.name.toLowerCase().includes(filterText) || stateText(process).includes(filterText) || process.state.includes(filterText),
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

/** Index of the selected row, 0 if it is gone. */
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
  // A set includes elements that are added during its iteration.
  for (const each of found) for (const process of processes) if (process.stops_with.includes(each)) found.add(process.name);
  return processes.filter((process) => process.name !== name && found.has(process.name) && process.pid !== null).map((each) => each.name);
}
