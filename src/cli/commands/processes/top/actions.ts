import type { Process } from "../../../../protocol/resources/resources.ts";
import { rowsOf, runningDependents, SORT_KEYS, type SortKey, selectedIndex, type TopState, type Verb } from "./model.ts";

export type Command =
  | { kind: "control"; verb: Verb; name: string }
  | { kind: "attach"; name: string }
  | { kind: "quit" | "redraw" | "suspend" };

export interface Outcome {
  state: TopState;
  /** Command to execute. */
  command?: Command;
}

const SORT_LETTERS: Readonly<Record<string, SortKey>> = {
  N: "name",
  T: "state",
  P: "pid",
  C: "cpu",
  M: "memory",
  U: "uptime",
  R: "restarts",
};
/** Columns that are sorted by the largest value first. */
const LARGEST_FIRST = new Set<SortKey>(["cpu", "memory", "restarts"]);
const VERBS: Readonly<Record<string, Verb>> = { s: "start", x: "stop", r: "restart" };

/** Handles a key; `page` is the number of visible rows. */
export function press(before: TopState, key: string, page: number): Outcome {
  const state: TopState = { ...before, message: null };
  if (key === "ctrl-c") return { state, command: { kind: "quit" } };
  if (key === "ctrl-l") return { state, command: { kind: "redraw" } };
  if (key === "ctrl-z") return { state, command: { kind: "suspend" } };
  if (state.question !== null) return answer(state, state.question, key);
  if (state.isHelpShown) return { state: { ...state, isHelpShown: false } };
  return state.isTyping ? { state: type(state, key) } : act(state, key, page);
}

function answer(state: TopState, { verb, name }: NonNullable<TopState["question"]>, key: string): Outcome {
  const answered = { ...state, question: null };
  if (key === "y" || key === "Y") return { state: answered, command: { kind: "control", verb, name } };
  return { state: { ...answered, message: { text: `${name} was not ${verb === "stop" ? "stopped" : "restarted"}`, isBad: false } } };
}

/** Question before a command that ends a run, or the attempts to start one; null: none. */
function questionOf({ processes }: TopState, verb: Verb, { name, state, pid }: Process): TopState["question"] {
  const isIdle = pid === null && (verb === "restart" || state === "stopped" || state === "error");
  if (verb === "start" || isIdle) return null;
  const dependents = runningDependents(processes, name);
  const others = dependents.length === 0 ? "" : ` and ${dependents.length === 1 ? dependents[0] : `${dependents.length} dependents`}`;
  return { verb, name, text: `${verb === "stop" ? "Stop" : "Restart"} ${name}${others}? y: yes, any other key: no` };
}

function type(state: TopState, key: string): TopState {
  if (key === "enter" || key === "up" || key === "down") return { ...state, isTyping: false };
  if (key === "escape") return { ...state, isTyping: false, filter: "" };
  if (key === "ctrl-u") return { ...state, filter: "" };
  if (key === "backspace") return { ...state, filter: [...state.filter].slice(0, -1).join("") };
  return [...key].length === 1 ? { ...state, filter: state.filter + key } : state;
}

function act(state: TopState, key: string, page: number): Outcome {
  const rows = rowsOf(state);
  const at = selectedIndex(state, rows);
  const steps: Readonly<Record<string, number>> = {
    up: at - 1,
    k: at - 1,
    down: at + 1,
    j: at + 1,
    "page-up": at - page,
    "page-down": at + page,
    home: 0,
    end: rows.length - 1,
  };
  if (Object.hasOwn(steps, key)) return { state: { ...state, selected: nameAt(rows, steps[key] ?? at) } };
  const verb = Object.hasOwn(VERBS, key) ? VERBS[key] : undefined;
  const process = rows[at];
  if (verb !== undefined || key === "enter") {
    if (process === undefined) return { state };
    const { name } = process;
    const chosen = { ...state, selected: name };
    if (verb === undefined) return { state: chosen, command: { kind: "attach", name } };
    const question = questionOf(state, verb, process);
    return question === null ? { state: chosen, command: { kind: "control", verb, name } } : { state: { ...chosen, question } };
  }
  if (key === "q") return { state, command: { kind: "quit" } };
  return { state: arrange(state, key) };
}

function arrange(state: TopState, key: string): TopState {
  const letter = Object.hasOwn(SORT_LETTERS, key) ? SORT_LETTERS[key] : undefined;
  if (letter !== undefined) return sortedBy(state, letter);
  if (key === "<" || key === ">") {
    const next = SORT_KEYS.indexOf(state.sort) + (key === ">" ? 1 : -1);
    return sortedBy(state, SORT_KEYS[(next + SORT_KEYS.length) % SORT_KEYS.length] ?? "name");
  }
  if (key === "f") return { ...sortedBy(state, "cpu"), failuresFirst: true };
  if (key === "i") return { ...state, descending: !state.descending };
  if (key === "/") return { ...state, isTyping: true };
  if (key === "escape") return { ...state, filter: "" };
  if (key === "?" || key === "h") return { ...state, isHelpShown: true };
  return state;
}

function sortedBy(state: TopState, sort: SortKey): TopState {
  return { ...state, sort, descending: LARGEST_FIRST.has(sort), failuresFirst: false };
}

function nameAt(rows: readonly { name: string }[], index: number): string | null {
  return rows[Math.max(0, Math.min(rows.length - 1, index))]?.name ?? null;
}
