import type { NumericElement } from "../columns/column.ts";

/** Size of the field of a name, bytes, with a zero at its end. */
export const FIELD_NAME_BYTES = 64;
export const MAX_NAME_LENGTH = FIELD_NAME_BYTES - 1;

const INT8 = 1;
const INT32 = 5;
const UINT32 = 6;
const MATRIX = 14;
const UTF16 = 17;
const CELL = 1;
export const STRUCT = 2;
const CHAR = 4;
const LOGICAL = 0x0200;

/** Class of the matrix and type of its data, by type of the elements. */
export const NUMBER_TYPES: Record<NumericElement, readonly [matrixClass: number, dataType: number]> = {
  float64: [6, 9],
  float32: [7, 7],
  int8: [8, 1],
  uint8: [9, 2],
  bool: [9, 2],
  int16: [10, 3],
  uint16: [11, 4],
  int32: [12, 5],
  uint32: [13, 6],
  int64: [14, 12],
  uint64: [15, 13],
};

/** Number of bytes that pad `size` to a multiple of 8. */
export function padding(size: number): number {
  return (8 - (size % 8)) % 8;
}

export function element(type: number, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(8 + data.length + padding(data.length));
  bytes.writeUInt32LE(type, 0);
  bytes.writeUInt32LE(data.length, 4);
  bytes.set(data, 8);
  return bytes;
}

/** The beginning of a matrix. Its tag counts `restBytes` more bytes, which begin with `rest`. */
export function matrixHeader(
  matrixClass: number,
  dimensions: readonly number[],
  name: string,
  restBytes: number,
  rest: Uint8Array = new Uint8Array(0),
  isLogical = false,
): Buffer {
  const flags = Buffer.alloc(8);
  flags.writeUInt32LE(matrixClass | (isLogical ? LOGICAL : 0), 0);
  const sizes = Buffer.alloc(dimensions.length * 4);
  dimensions.forEach((each, index) => {
    sizes.writeInt32LE(each, index * 4);
  });
  const head = Buffer.concat([element(UINT32, flags), element(INT32, sizes), element(INT8, Buffer.from(name, "latin1"))]);
  const tag = Buffer.alloc(8);
  tag.writeUInt32LE(MATRIX, 0);
  // The size is modulo 2^32: a variable that is too large is refused before this is written.
  tag.writeUInt32LE((head.length + restBytes) % 2 ** 32, 4);
  return Buffer.concat([tag, head, rest]);
}

/** Text; its dimensions count code points. */
export function charMatrix(text: string): Buffer {
  const data = element(UTF16, Buffer.from(text, "utf16le"));
  const length = [...text].length;
  return matrixHeader(CHAR, [length === 0 ? 0 : 1, length], "", data.length, data);
}

/** A matrix of one double. */
export function scalar(value: number): Buffer {
  const [matrixClass, type] = NUMBER_TYPES.float64;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  const data = element(type, bytes);
  return matrixHeader(matrixClass, [1, 1], "", data.length, data);
}

export function cells(texts: readonly string[]): Buffer {
  const data = Buffer.concat(texts.map(charMatrix));
  return matrixHeader(CELL, [1, texts.length], "", data.length, data);
}
