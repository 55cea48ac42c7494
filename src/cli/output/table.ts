import stringWidth from "string-width";
import { visible, visibleJson } from "../../base/visible-text.ts";
import type { ShownState } from "../../client/shown/shown-state.ts";

/** Colours only on a terminal that has them, and without NO_COLOR. */
export const coloured = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb";

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof CODES;

/** `text` with the colour; what it holds that would act on a terminal is shown instead. */
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
}

/** Rows under their titles, columns as wide as their widest cell; the last one is not padded. */
export function table<Row>(columns: Column<Row>[], rows: Row[]): string {
  const cell = (column: Column<Row>, row: Row) => visible(column.text(row));
  const widths = columns.map((column) =>
    rows.reduce((width, row) => Math.max(width, stringWidth(cell(column, row))), stringWidth(column.title)),
  );
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

/** In several lines, or in one for programs that read a value per line. */
export function printJson(value: unknown, { oneLine = false } = {}): void {
  process.stdout.write(`${jsonText(value, { oneLine })}\n`);
}

export function jsonText(value: unknown, { oneLine = false } = {}): string {
  return visibleJson(JSON.stringify(value, null, oneLine ? 0 : 2));
}
