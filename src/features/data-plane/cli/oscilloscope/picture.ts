import { visible } from "../../../../base/text/visible-text.ts";
import { coloured, paint } from "../../../../cli/output/table.ts";
import { inColumns } from "../../../../cli/output/text-width.ts";
import type { Size } from "../../../../cli/terminal/screen.ts";
import { fitted, numberText, type Range, ticks } from "./axis.ts";
import { Canvas } from "./canvas.ts";
import { HELP, type OscilloscopeState } from "./model.ts";
import type { Trace } from "./traces.ts";

/** The fields of a trace that are shown. */
export type ShownTrace = Pick<Trace, "name" | "colour" | "buffer" | "isHidden" | "status" | "missed">;

/** Colours of the 256-colour palette that differ clearly on dark and light backgrounds. */
const COLOURS = [39, 208, 41, 205, 178, 141, 203, 44] as const;
const LABEL_WIDTH = 10;
const MIN_PLOT_ROWS = 3;
/** Number of rows besides the plot: title, time axis and its labels, titles of the legend, keys. */
const OTHER_ROWS = 5;
const TIME_TICKS = 5;
/** Width of a number in the legend, columns. */
const NUMBER_WIDTH = 12;

/** Draws the whole screen; returns its lines and its value axis. `now` is the right end, seconds. */
export function picture(
  state: OscilloscopeState,
  traces: readonly ShownTrace[],
  { rows, cols }: Size,
  now: number,
): { lines: string[]; range: Range } {
  const sums = traces.map((trace) => inWindow(trace, now - state.window, now));
  const range = state.held ?? rangeOf(traces, sums);
  const legendRows = Math.min(traces.length, Math.max(3, Math.floor(rows / 4)), Math.max(1, rows - OTHER_ROWS - MIN_PLOT_ROWS));
  const plotRows = Math.max(MIN_PLOT_ROWS, rows - OTHER_ROWS - legendRows);
  const body = state.isHelpShown
    ? helpLines(plotRows + 2, cols)
    : traces.length === 0
      ? emptyLines(plotRows + 2, cols)
      : plot({ state, traces, range, now, rows: plotRows, cols });
  const lines = [titleLine(state, cols), ...body, ...legend({ state, traces, sums, rows: legendRows, cols }), keysLine(state, cols)];
  // A terminal that is too small shows the upper part.
  return { lines: lines.slice(0, rows), range };
}

interface Sums {
  readonly min: number;
  readonly max: number;
}

function inWindow({ buffer }: ShownTrace, from: number, to: number): Sums {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const bin of buffer.since(from)) {
    if (bin.time < from || bin.time > to) continue;
    if (bin.min < min) min = bin.min;
    if (bin.max > max) max = bin.max;
  }
  return { min, max };
}

function rangeOf(traces: readonly ShownTrace[], sums: readonly Sums[]): Range {
  const seen = sums.filter((_, index) => traces[index]?.isHidden === false);
  return fitted({ low: Math.min(...seen.map(({ min }) => min)), high: Math.max(...seen.map(({ max }) => max)) });
}

function plot(parts: {
  state: OscilloscopeState;
  traces: readonly ShownTrace[];
  range: Range;
  now: number;
  rows: number;
  cols: number;
}): string[] {
  const { state, traces, range, now, rows, cols } = parts;
  const width = Math.max(4, cols - LABEL_WIDTH - 2);
  const canvas = new Canvas(width, rows);
  for (const trace of traces)
    if (!trace.isHidden && trace.name !== state.selected) draw(canvas, trace, { range, now, window: state.window });
  // The selected trace is on top.
  const top = traces.find(({ name, isHidden }) => name === state.selected && !isHidden);
  if (top) draw(canvas, top, { range, now, window: state.window });
  const labels = new Map(
    ticks(range, Math.max(2, Math.floor(rows / 3))).map((tick) => [
      Math.round(((range.high - tick) / (range.high - range.low)) * (rows - 1)),
      numberText(Number(tick.toPrecision(12))),
    ]),
  );
  const lines = Array.from({ length: rows }, (_, row) => {
    const label = labels.get(row);
    return `${paint("grey", `${inColumns(label ?? "", LABEL_WIDTH, true)} ${label === undefined ? "│" : "┤"}`)}${canvas.row(row, painted)}`;
  });
  return [...lines, ...timeAxis(state.window, width)];
}

function draw(canvas: Canvas, { buffer, colour }: ShownTrace, view: { range: Range; now: number; window: number }): void {
  const { range, now, window } = view;
  const xOf = (time: number) => Math.round(((time - now + window) / window) * (canvas.width - 1));
  const yOf = (value: number) => Math.round(((range.high - value) / (range.high - range.low)) * (canvas.height - 1));
  let before: { x: number; y: number } | null = null;
  for (const { time, min, max, last } of buffer.since(now - window)) {
    if (time > now) break;
    if (Number.isNaN(last)) {
      before = null;
      continue;
    }
    const x = xOf(time);
    const y = yOf(last);
    if (before !== null && x >= 0) canvas.line(before.x, before.y, x, y, colour);
    if (min !== max) canvas.line(x, yOf(max), x, yOf(min), colour);
    else canvas.dot(x, y, colour);
    before = { x, y };
  }
}

function timeAxis(window: number, width: number): string[] {
  const line = Array.from({ length: width }, () => "─");
  const labels = Array.from({ length: width + LABEL_WIDTH + 2 }, () => " ");
  for (let tick = 0; tick < TIME_TICKS; tick++) {
    const part = tick / (TIME_TICKS - 1);
    const at = Math.round(part * (width - 1));
    line[at] = "┴";
    const text = part === 1 ? "now" : `${numberText(-window * (1 - part))} s`;
    const begin = Math.min(labels.length - text.length, LABEL_WIDTH + 2 + at - Math.floor(text.length / 2));
    for (let index = 0; index < text.length; index++) labels[begin + index] = text.charAt(index);
  }
  return [paint("grey", `${" ".repeat(LABEL_WIDTH + 1)}└${line.join("")}`), paint("grey", labels.join(""))];
}

function legend(parts: {
  state: OscilloscopeState;
  traces: readonly ShownTrace[];
  sums: readonly Sums[];
  rows: number;
  cols: number;
}): string[] {
  const { state, traces, sums, rows, cols } = parts;
  const wide = cols >= 70 ? 3 : 1;
  const nameWidth = Math.max(8, cols - 3 - wide * (NUMBER_WIDTH + 1) - 10);
  const numbers = (texts: readonly string[]) =>
    texts
      .slice(0, wide)
      .map((text) => inColumns(text, NUMBER_WIDTH, true))
      .join(" ");
  const head = paint("bold", inColumns(`   ${inColumns("TRACE", nameWidth)} ${numbers(["VALUE", "MIN", "MAX"])}    MISSED`, cols));
  // The selected trace is visible.
  const at = traces.findIndex(({ name }) => name === state.selected);
  const first = Math.max(0, Math.min(at - rows + 1, traces.length - rows));
  const shown = traces.slice(first, first + rows).map((trace, index) => {
    const { min, max } = sums[first + index] ?? { min: 0, max: 0 };
    const { last } = trace.buffer;
    const values =
      last === null ? trace.status : numbers([numberText(last), min <= max ? numberText(min) : "-", min <= max ? numberText(max) : "-"]);
    const isMore = index === rows - 1 && first + rows < traces.length;
    const missed = isMore ? `+${traces.length - first - rows} more` : trace.missed > 0 ? String(trace.missed) : "";
    const isSelected = trace.name === state.selected;
    const line = inColumns(
      `${inColumns(trace.name, nameWidth)} ${inColumns(values, wide * (NUMBER_WIDTH + 1) - 1)}${inColumns(missed, 10, true)}`,
      Math.max(0, cols - 3),
    );
    const marker = trace.isHidden ? "○" : "●";
    return `${isSelected ? "▶" : " "}${painted(trace.colour, marker)} ${isSelected ? paint("bold", line) : trace.isHidden ? paint("grey", line) : line}`;
  });
  return [head, ...shown];
}

function titleLine(state: OscilloscopeState, cols: number): string {
  const status = state.lost !== null ? `Not connected: ${state.lost}` : state.pausedAt !== null ? "Paused" : "Live";
  const text = `${status} · last ${numberText(state.window)} s · value axis ${state.held === null ? "fitted" : "held"}`;
  const line = inColumns(`mgr scope   ${text}`, cols);
  return state.lost !== null ? paint("red", line) : state.pausedAt !== null ? paint("yellow", line) : paint("bold", line);
}

function keysLine({ message }: OscilloscopeState, cols: number): string {
  if (message !== null) return paint(message.isBad ? "red" : "green", inColumns(message.text, cols));
  return paint("grey", inColumns("q quit  ? help  Space pause  + - window  ↑↓ select  Enter hide  x remove  f hold axis", cols));
}

function helpLines(rows: number, cols: number): string[] {
  const lines = ["", ...HELP.map(([keys, meaning]) => `  ${keys.padEnd(10)} ${meaning}`), "", "  Any key closes this help."];
  return block(lines, rows, cols);
}

function emptyLines(rows: number, cols: number): string[] {
  return block(
    [
      "",
      "  No traces.",
      "",
      "  Name them on the command line: mgr scope arm/state.position[0]",
      "  or open one from the page, if this is instance.scope_process.",
    ],
    rows,
    cols,
  );
}

function block(lines: readonly string[], rows: number, cols: number): string[] {
  return Array.from({ length: rows }, (_, row) => inColumns(lines[row] ?? "", cols));
}

function painted(colour: number, text: string): string {
  const shown = visible(text);
  return coloured ? `\x1b[38;5;${COLOURS[(colour - 1) % COLOURS.length]}m${shown}\x1b[0m` : shown;
}
