import stringWidth from "string-width";
import { visible, visibleJson } from "../../base/text/visible-text.ts";
import type { ShownState } from "../../client/shown/shown-state.ts";

/** Whether colours are used: only on a terminal that has them, and without NO_COLOR. */
export const coloured = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb";

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof CODES;

/** `text` with the colour; characters that would act on a terminal are made visible. */
export function paint(colour: Colour, text: string): string {
  const shown = visible(text);
  return coloured ? `\x1b[${CODES[colour]}m${shown}\x1b[0m` : shown;
}

const STATE_COLOURS: Record<ShownState, Colour> = {
  ready: "green",
  started: "green",
  starting: "cyan",
  waiting: "cyan",
  stopping: "yellow",
  backoff: "yellow",
  error: "red",
  lost: "yellow",
  completed: "green",
  stopped: "grey",
};

export function paintState(state: ShownState, padded: string = state): string {
  return paint(STATE_COLOURS[state], padded);
}

export interface Column<Row> {
  title: string;
  text: (row: Row) => string;
  paint?: (row: Row, padded: string) => string;
  right?: boolean;
  /** Columns with a number are left out on a narrow terminal, the lowest first. */
  spare?: number;
}

/** Minimum width of the last column on a narrow terminal, characters. */
const MIN_LAST_WIDTH = 12;

/**
 * Formats rows under their titles, columns as wide as their widest cell; the last one is not padded. On a terminal that is too narrow,
 * columns that can be spared are left out, and the last one is cut.
 */
export function table<Row>(all: Column<Row>[], rows: Row[], width = process.stdout.columns || Number.POSITIVE_INFINITY): string {
  const columns = [...all];
  const whole = (column: Column<Row>, row: Row) => visible(column.text(row));
  const widthOf = (column: Column<Row>) =>
    rows.reduce((most, row) => Math.max(most, stringWidth(whole(column, row))), stringWidth(column.title));
  const before = () => columns.slice(0, -1).reduce((sum, column) => sum + widthOf(column) + 2, 0);
  const isTooWide = () => before() + Math.min(MIN_LAST_WIDTH, widthOf(columns.at(-1) ?? { title: "", text: () => "" })) > width;
  const spares = all.filter(({ spare }) => spare !== undefined).sort((a, b) => (a.spare ?? 0) - (b.spare ?? 0));
  for (const spare of spares) if (isTooWide()) columns.splice(columns.indexOf(spare), 1);
  const room = width - before();
  const cell = (column: Column<Row>, row: Row) => (column === columns.at(-1) ? cut(whole(column, row), room) : whole(column, row));
  const widths = columns.map(widthOf);
  const line = (cells: (column: Column<Row>, index: number) => string) => columns.map(cells).join("  ").trimEnd();
  const pad = (text: string, index: number, right: boolean | undefined) => {
    if (index === columns.length - 1 && !right) return text;
    const padding = " ".repeat((widths[index] ?? 0) - stringWidth(text));
    return right ? padding + text : text + padding;
  };
  const head = line((column, index) => pad(column.title, index, column.right));
  const body = rows.map((row) =>
    line((column, index) => {
      const padded = pad(cell(column, row), index, column.right);
      return column.paint ? column.paint(row, padded) : padded;
    }),
  );
  return [paint("bold", head), ...body].join("\n");
}

function cut(text: string, room: number): string {
  if (stringWidth(text) <= room || room < MIN_LAST_WIDTH) return text;
  let kept = "";
  for (const character of text) {
    if (stringWidth(kept + character) >= room) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Prints JSON in several lines, or in one for programs that read a value per line. */
export function printJson(value: unknown, { oneLine = false } = {}): void {
  process.stdout.write(`${jsonText(value, { oneLine })}\n`);
}

export function jsonText(value: unknown, { oneLine = false } = {}): string {
  return visibleJson(JSON.stringify(value, null, oneLine ? 0 : 2));
}
