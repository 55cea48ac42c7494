import { type Column, ELEMENT_BYTES, isNumeric, type NumericElement } from "../columns/column.ts";
import { type TopicTable, topicTable } from "../columns/topic-table.ts";
import type { FormatWriter } from "../samples.ts";
import {
  cells,
  charMatrix,
  element,
  FIELD_NAME_BYTES,
  MAX_NAME_LENGTH,
  matrixHeader,
  NUMBER_TYPES,
  padding,
  STRUCT,
  scalar,
} from "./matlab-elements.ts";
import { progress } from "./progress.ts";
import { type Sink, SpoolFile } from "./spool-file.ts";
import { UniqueNames } from "./unique-names.ts";
import { type ColumnLayout, columnSizes, columnsOf, lengthOf, putNumbers, tooLarge, writeColumns } from "./write-columns.ts";

/** Maximum size of one variable including its header, bytes. */
const MAX_VARIABLE_BYTES = 2 ** 31 - 1;
const TAG_BYTES = 8;

/** MAT-file level 5 (docs/recordings.md, "matlab"): a structure for each topic, columns of numbers as `[k n]`, others as cells. */
export const writeMatlab: FormatWriter = async (logger, path, options = {}) => {
  await using file = await SpoolFile.create(path);
  const onSample = progress(logger, 3, options);
  const variables = new UniqueNames(MAX_NAME_LENGTH, ["mgr_logger"]);
  const names = logger.topics.map(({ topic }) => variables.add(topic));
  const title = Buffer.alloc(128, " ");
  title.write("MATLAB 5.0 MAT-file, written by mgr", "latin1");
  title.fill(0, 116, 124);
  title.writeUInt16LE(0x0100, 124);
  title.write("IM", 126, "latin1");
  await file.write(0, title);
  let at = title.length;
  const about = struct("mgr_logger", [
    ["name", charMatrix(logger.name)],
    ["topics", cells(logger.topics.map(({ topic }) => topic))],
    ["variables", cells(names)],
  ]);
  await file.write(at, about);
  at += about.length;
  for (const [index, source] of logger.topics.entries())
    at = await writeTopic(file, at, names[index] ?? "", await topicTable(source, onSample));
};

async function writeTopic(file: SpoolFile, start: number, variable: string, table: TopicTable): Promise<number> {
  const { source, problem } = table;
  const layouts = columnsOf(table).map(layoutOf);
  const cellSizes = await columnSizes(table, layouts);
  const fields = new UniqueNames(MAX_NAME_LENGTH, []);
  const fieldNames = table.fields.map(({ name }) => fields.add(name));
  const meta: [string, Uint8Array][] = [
    ["topic", charMatrix(source.topic)],
    ["host", charMatrix(source.host)],
    ["encoding", charMatrix(source.encoding)],
    ["definition_name", charMatrix(source.definitionName)],
    ["definition", charMatrix(source.definition)],
    ["missed", scalar(source.missed)],
    ["problem", charMatrix(problem ?? "")],
    ["field_names", cells(fieldNames)],
    ["field_paths", cells(table.fields.map(({ name }) => name))],
  ];
  const columns = layouts.map((layout, index) => {
    const size = cellSizes[index] ?? 0;
    const { open, close } = frameOf(layout.column, source.count, size);
    return { open, close, size: open.length + size + close.length, cells: size };
  });
  const own = columns.slice(0, table.about.length);
  const nested = columns.slice(table.about.length);
  const sum = (of: readonly { size: number }[]) => of.reduce((total, { size }) => total + size, 0);
  const inner = structHeader("", fieldNames, sum(nested));
  const names = [...meta.map(([name]) => name), ...table.about.map(({ name }) => name), "fields"];
  const metaBytes = Buffer.concat(meta.map(([, bytes]) => bytes));
  const body = metaBytes.length + sum(own) + inner.length + sum(nested);
  if (body + names.length * FIELD_NAME_BYTES + 512 > MAX_VARIABLE_BYTES)
    throw tooLarge(
      `topic ${source.topic}: the MATLAB variable of ${Math.ceil(body / 2 ** 20)} MiB`,
      "2 GiB, the most that MAT-files of level 5 can hold",
    );
  let at = start;
  const put = async (data: Uint8Array) => {
    await file.write(at, data);
    at += data.length;
  };
  await put(structHeader(variable, names, body));
  await put(metaBytes);
  const offsets: number[] = [];
  for (const [index, { open, close, cells: size }] of columns.entries()) {
    if (index === own.length) await put(inner);
    await put(open);
    offsets.push(at);
    at += size;
    await put(close);
  }
  if (nested.length === 0) await put(inner);
  await writeColumns(file, table, layouts, offsets);
  return at;
}

/** The tag of a structure, and everything before its values. */
function structHeader(name: string, names: readonly string[], bodyBytes: number): Buffer {
  const list = Buffer.alloc(names.length * FIELD_NAME_BYTES);
  names.forEach((each, index) => {
    list.write(each, index * FIELD_NAME_BYTES, "latin1");
  });
  const nameLength = Buffer.from([5, 0, 4, 0, FIELD_NAME_BYTES, 0, 0, 0]);
  const rest = Buffer.concat([nameLength, element(1, list)]);
  return matrixHeader(STRUCT, [1, 1], name, rest.length + bodyBytes, rest);
}

function struct(name: string, pairs: readonly [string, Uint8Array][]): Buffer {
  const body = Buffer.concat(pairs.map(([, bytes]) => bytes));
  const names = pairs.map(([each]) => each);
  return Buffer.concat([structHeader(name, names, body.length), body]);
}

function frameOf({ element: type, shape }: Column, count: number, size: number): { open: Buffer; close: Buffer } {
  if (!isNumeric(type) || shape === "variable") return { open: matrixHeader(1, [1, count], "", size), close: Buffer.alloc(0) };
  return numbersFrame(type, shape === "scalar" ? 1 : shape, count, size);
}

function numbersFrame(type: NumericElement, rows: number, columns: number, size: number): { open: Buffer; close: Buffer } {
  const [matrixClass, dataType] = NUMBER_TYPES[type];
  const tag = Buffer.alloc(TAG_BYTES);
  tag.writeUInt32LE(dataType, 0);
  // The size is modulo 2^32: a variable that is too large is refused before this is written.
  tag.writeUInt32LE(size % 2 ** 32, 4);
  const close = Buffer.alloc(padding(size));
  return { open: matrixHeader(matrixClass, [rows, columns], "", TAG_BYTES + size + close.length, tag, type === "bool"), close };
}

function layoutOf(column: Column): ColumnLayout {
  const { element: type, shape } = column;
  if (!isNumeric(type)) {
    const cell = (sink: Sink, value: unknown) =>
      sink.bytes(shape === "scalar" ? charMatrix(String(value)) : cells(Array.from(value as ArrayLike<unknown>, String)));
    return { column, cellBytes: null, cell };
  }
  const numbers = (sink: Sink, value: unknown) => putNumbers(sink, type, value);
  if (shape === "scalar") return { column, cellBytes: ELEMENT_BYTES[type], cell: (sink, value) => sink.number(type, value) };
  if (shape !== "variable") return { column, cellBytes: ELEMENT_BYTES[type] * shape, cell: numbers };
  const cell = (sink: Sink, value: unknown) => {
    const length = lengthOf(value);
    const { open, close } = numbersFrame(type, 1, length, length * ELEMENT_BYTES[type]);
    sink.bytes(open);
    numbers(sink, value);
    sink.bytes(close);
  };
  return { column, cellBytes: null, cell };
}
