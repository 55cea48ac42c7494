import type { Range } from "./axis.ts";
import type { Trace } from "./traces.ts";

/** Lengths of the time axis, seconds. */
export const WINDOWS = [1, 2, 5, 10, 20, 30, 60, 120] as const;

export interface OscilloscopeState {
  /** Length of the time axis, seconds. */
  window: number;
  /** Time at the right end while paused, seconds; null: now. */
  pausedAt: number | null;
  /** The held value axis; null: the axis fits the visible values. */
  held: Range | null;
  /** Name of the selected trace. */
  selected: string | null;
  isHelpShown: boolean;
  message: { text: string; isBad: boolean } | null;
  /** The reason why the bus is not connected; null: it is connected. */
  lost: string | null;
}

export const INITIAL: OscilloscopeState = {
  window: 10,
  pausedAt: null,
  held: null,
  selected: null,
  isHelpShown: false,
  message: null,
  lost: null,
};

export type OscilloscopeCommand = { kind: "quit" } | { kind: "clear" } | { kind: "redraw" } | { kind: "hide" | "remove"; name: string };

export interface Pressed {
  readonly state: OscilloscopeState;
  readonly command?: OscilloscopeCommand;
}

export const HELP: readonly (readonly [keys: string, meaning: string])[] = [
  ["Space", "pause and resume; messages are collected meanwhile"],
  ["+  -", "shorter and longer window"],
  ["f", "hold the value axis as it is, or fit it again"],
  ["Up Down", "select a trace"],
  ["Enter", "hide or show the selected trace"],
  ["x", "remove the selected trace"],
  ["c", "clear all values"],
  ["Ctrl-L", "draw again"],
  ["?", "this help"],
  ["q", "quit"],
];

/** Applies a key. `now`, seconds, and `range`, the value axis, are those of the visible picture. */
export function press(
  state: OscilloscopeState,
  key: string,
  { traces, now, range }: { traces: readonly Pick<Trace, "name">[]; now: number; range: Range },
): Pressed {
  if (key === "ctrl-c") return { state, command: { kind: "quit" } };
  if (key === "ctrl-l") return { state, command: { kind: "redraw" } };
  if (state.isHelpShown) return { state: { ...state, isHelpShown: false } };
  const quiet = { ...state, message: null };
  const selected = traces.find(({ name }) => name === state.selected)?.name;
  switch (key) {
    case "q":
      return { state, command: { kind: "quit" } };
    case "?":
      return { state: { ...quiet, isHelpShown: true } };
    case " ":
      return { state: { ...quiet, pausedAt: state.pausedAt === null ? now : null } };
    case "+":
    case "=":
      return { state: { ...quiet, window: WINDOWS.findLast((each) => each < state.window) ?? WINDOWS[0] } };
    case "-":
      return { state: { ...quiet, window: WINDOWS.find((each) => each > state.window) ?? 120 } };
    case "f":
      return { state: { ...quiet, held: state.held === null ? range : null } };
    case "up":
    case "k":
      return { state: { ...quiet, selected: neighbour(traces, selected, -1) } };
    case "down":
    case "j":
      return { state: { ...quiet, selected: neighbour(traces, selected, 1) } };
    case "enter":
      return { state: quiet, ...(selected === undefined ? {} : { command: { kind: "hide", name: selected } as const }) };
    case "x": {
      if (selected === undefined)
        return { state: { ...state, message: { text: "select a trace with the arrow keys first", isBad: true } } };
      const next = neighbour(traces, selected, 1) ?? null;
      const rest = next === selected ? neighbour(traces, selected, -1) : next;
      return { state: { ...quiet, selected: rest === selected ? null : rest }, command: { kind: "remove", name: selected } };
    }
    case "c":
      return { state: quiet, command: { kind: "clear" } };
    default:
      return { state };
  }
}

function neighbour(traces: readonly Pick<Trace, "name">[], from: string | undefined, step: 1 | -1): string | null {
  const at = traces.findIndex(({ name }) => name === from);
  const to = at === -1 ? (step === 1 ? 0 : traces.length - 1) : Math.min(traces.length - 1, Math.max(0, at + step));
  return traces[to]?.name ?? null;
}
