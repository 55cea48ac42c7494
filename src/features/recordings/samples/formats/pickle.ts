import { type Column, ELEMENT_BYTES, isNumeric, type NumericElement } from "../columns/column.ts";
import { type TopicTable, topicTable } from "../columns/topic-table.ts";
import type { FormatWriter } from "../samples.ts";
import { progress } from "./progress.ts";
import { type Sink, SpoolFile } from "./spool-file.ts";
import { type ColumnLayout, columnSizes, columnsOf, lengthOf, putNumbers, writeColumns } from "./write-columns.ts";

/** Type code of Python's array, and the machine format code of its pickles, little-endian. */
const CODES: Record<NumericElement, readonly [type: string, format: number]> = {
  bool: ["B", 0],
  uint8: ["B", 0],
  int8: ["b", 1],
  uint16: ["H", 2],
  int16: ["h", 4],
  uint32: ["I", 6],
  int32: ["i", 8],
  uint64: ["Q", 10],
  int64: ["q", 12],
  float32: ["f", 14],
  float64: ["d", 16],
};
/** Maximum number of bytes for opcodes with a 4-byte length. */
const MAX_SHORT_BYTES = 2 ** 32 - 1;
const encoder = new TextEncoder();
/** The two functions that make arrays are stored as memo 0 and 1. */
const HEADER = latin("\x80\x04carray\n_array_reconstructor\nq\x000carray\narray\nq\x010}(");

/**
 * A pickle that loads with Python's standard library: columns of numbers are `array.array` (docs/recordings.md, "pickle"). Opcode 0x8e
 * (bytes over 4 GiB) needs protocol 4; without it, the file declares protocol 3.
 */
export const writePickle: FormatWriter = async (logger, path, options = {}) => {
  await using file = await SpoolFile.create(path);
  const onSample = progress(logger, 3, options);
  let at = 0;
  let isLong = false;
  const put = async (...parts: Uint8Array[]) => {
    const data = Buffer.concat(parts);
    await file.write(at, data);
    at += data.length;
  };
  await put(HEADER, text("logger"), text(logger.name), text("format"), integer(1), text("topics"), latin("}("));
  for (const source of logger.topics) {
    const table = await topicTable(source, onSample);
    const layouts = columnsOf(table).map(layoutOf);
    const sizes = await columnSizes(table, layouts);
    await put(text(source.topic), latin("}("), aboutTopic(table));
    const offsets: number[] = [];
    for (const [index, layout] of layouts.entries()) {
      const size = sizes[index] ?? 0;
      if (index === table.about.length) await put(text("fields"), latin("}("));
      isLong ||= size > MAX_SHORT_BYTES;
      const { open, close } = frameOf(layout.column, size);
      await put(text(layout.column.name), open);
      offsets.push(at);
      at += size;
      await put(close);
    }
    if (table.fields.length === 0) await put(text("fields"), latin("}("));
    await put(latin("uu"));
    await writeColumns(file, table, layouts, offsets);
  }
  await put(latin("uu."));
  await file.write(0, latin(isLong ? "\x80\x04" : "\x80\x03"));
};

function aboutTopic({ source, fields, problem }: TopicTable): Uint8Array {
  const pairs: [string, Uint8Array][] = [
    ["host", text(source.host)],
    ["encoding", text(source.encoding)],
    ["definition_name", text(source.definitionName)],
    ["definition", text(source.definition)],
    ["count", integer(source.count)],
    ["missed", integer(source.missed)],
    ["only_ts", latin(source.only_ts ? "\x88" : "\x89")],
    ["problem", problem === null ? latin("N") : text(problem)],
  ];
  const shapes = fields.flatMap(({ name, shape }) =>
    typeof shape === "number" ? [text(name), integer(source.count), integer(shape), latin("\x86")] : [],
  );
  return Buffer.concat([...pairs.flatMap(([key, value]) => [text(key), value]), text("shapes"), latin("}("), ...shapes, latin("u")]);
}

/** The bytes before and after the cells of a column. */
function frameOf({ element, shape }: Column, size: number): { open: Uint8Array; close: Uint8Array } {
  if (!isNumeric(element) || shape === "variable") return { open: latin("]("), close: latin("e") };
  return { open: arrayOpening(element, size), close: latin("tR") };
}

function arrayOpening(element: NumericElement, size: number): Uint8Array {
  const [code, format] = CODES[element];
  return Buffer.concat([latin("h\x00(h\x01"), text(code), latin(`K${String.fromCharCode(format)}`), length("B", "\x8e", size)]);
}

function layoutOf(column: Column): ColumnLayout {
  const { element, shape } = column;
  if (!isNumeric(element)) {
    const cell = (sink: Sink, value: unknown) => (shape === "scalar" ? sink.bytes(text(String(value))) : textList(sink, value));
    return { column, cellBytes: null, cell };
  }
  const numbers = (sink: Sink, value: unknown) => putNumbers(sink, element, value);
  if (shape === "variable") {
    const cell = (sink: Sink, value: unknown) => {
      sink.bytes(arrayOpening(element, lengthOf(value) * ELEMENT_BYTES[element]));
      numbers(sink, value);
      sink.bytes(latin("tR"));
    };
    return { column, cellBytes: null, cell };
  }
  if (shape === "scalar") return { column, cellBytes: ELEMENT_BYTES[element], cell: (sink, value) => sink.number(element, value) };
  return { column, cellBytes: ELEMENT_BYTES[element] * shape, cell: numbers };
}

function textList(sink: Sink, value: unknown): void {
  sink.bytes(latin("]("));
  for (const each of Array.from(value as ArrayLike<unknown>)) sink.bytes(text(String(each)));
  sink.bytes(latin("e"));
}

function text(value: string): Uint8Array {
  const bytes = encoder.encode(value);
  return Buffer.concat([length("X", "\x8d", bytes.length), bytes]);
}

function length(short: string, long: string, size: number): Uint8Array {
  const isLong = size > MAX_SHORT_BYTES;
  const bytes = Buffer.alloc(isLong ? 9 : 5);
  bytes.write(isLong ? long : short, "latin1");
  if (isLong) bytes.writeBigUInt64LE(BigInt(size), 1);
  else bytes.writeUInt32LE(size, 1);
  return bytes;
}

/** Encodes an integer as LONG1 with 8 bytes. */
function integer(value: number): Uint8Array {
  const bytes = Buffer.alloc(10);
  bytes.write("\x8a\x08", "latin1");
  bytes.writeBigInt64LE(BigInt(value), 2);
  return bytes;
}

function latin(value: string): Uint8Array {
  return Buffer.from(value, "latin1");
}
