import { MgrError } from "../../../../base/errors.ts";
import { type Column, ELEMENT_BYTES, type NumericElement } from "../columns/column.ts";
import type { TopicTable } from "../columns/topic-table.ts";
import { CountingSink, type Sink, type SpoolFile } from "./spool-file.ts";

/** The layout of one column in a format. */
export interface ColumnLayout {
  readonly column: Column;
  /** Size of one cell, bytes; null: cells have different lengths. */
  readonly cellBytes: number | null;
  readonly cell: (sink: Sink, value: unknown) => void;
}

/** Size of each column's cells, bytes. Reads the samples only if cells have different lengths. */
export async function columnSizes(table: TopicTable, layouts: readonly ColumnLayout[]): Promise<number[]> {
  const counters = layouts.map(() => new CountingSink());
  if (layouts.every(({ cellBytes }) => cellBytes !== null)) return layouts.map(({ cellBytes }) => (cellBytes ?? 0) * table.source.count);
  for await (const cells of table.rows())
    for (const [at, { cell, cellBytes }] of layouts.entries()) {
      const counter = counters[at];
      if (!counter) continue;
      if (cellBytes === null) cell(counter, cells[at]);
      else counter.size += cellBytes;
    }
  return counters.map(({ size }) => size);
}

/** Decodes each sample once, and writes each cell at the position of its column. */
export async function writeColumns(
  file: SpoolFile,
  table: TopicTable,
  layouts: readonly ColumnLayout[],
  offsets: readonly number[],
): Promise<void> {
  const sections = file.sections(offsets);
  for await (const cells of table.rows())
    for (const [at, { cell }] of layouts.entries()) {
      const section = sections[at];
      if (!section) continue;
      cell(section, cells[at]);
      if (section.isFull) await section.flush();
    }
  for (const section of sections) await section.flush();
}

/** A topic's columns in the order of its rows' cells. */
export function columnsOf({ about, fields }: TopicTable): Column[] {
  return [...about, ...fields];
}

export function tooLarge(what: string, limit: string): MgrError {
  return new MgrError(
    "too_large",
    `${what} is larger than ${limit}. Download another format (raw, csv or pickle), or record fewer samples.`,
  );
}

/** Writes the elements of a cell. Typed arrays of the same layout are copied as they are; all machines that Node supports here are little-endian. */
export function putNumbers(sink: Sink, element: NumericElement, value: unknown): void {
  if (ArrayBuffer.isView(value) && value.byteLength === lengthOf(value) * ELEMENT_BYTES[element]) {
    sink.bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    return;
  }
  const list = value as ArrayLike<unknown>;
  for (let at = 0; at < list.length; at++) sink.number(element, list[at]);
}

export function lengthOf(value: unknown): number {
  return (value as ArrayLike<unknown>).length;
}
