/** Fields of messages as columns, for the formats of downloads (docs/recordings.md, "Columns"). */

/** Size of one element, bytes; strings have none. */
export const ELEMENT_BYTES = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
} as const;
export type NumericElement = keyof typeof ELEMENT_BYTES;
export type Element = NumericElement | "string";

export interface Column {
  /** Path of the field, such as `pose.position.x`. */
  readonly name: string;
  readonly element: Element;
  /** One value, a fixed number of values, or a list whose length differs between samples. */
  readonly shape: "scalar" | "variable" | number;
  /** Returns the value in a decoded message; null: the message does not have it. */
  readonly at: (message: unknown) => unknown;
}

export function isNumeric(element: Element): element is NumericElement {
  return element !== "string";
}

/** The cell of a message that does not have the field. */
export function emptyCell({ element, shape }: Pick<Column, "element" | "shape">): unknown {
  if (shape === "variable") return [];
  if (shape !== "scalar") return new Array(shape).fill(emptyElement(element));
  return emptyElement(element);
}

function emptyElement(element: Element): unknown {
  if (element === "string") return "";
  if (element === "int64" || element === "uint64") return 0n;
  return element === "float32" || element === "float64" ? Number.NaN : 0;
}

/** Writes a number, a boolean or a bigint at `at`, little-endian. */
export function putElement(view: DataView, at: number, element: NumericElement, value: unknown): void {
  if (element === "int64") view.setBigInt64(at, BigInt(value as bigint), true);
  else if (element === "uint64") view.setBigUint64(at, BigInt(value as bigint), true);
  else if (element === "float64") view.setFloat64(at, Number(value), true);
  else if (element === "float32") view.setFloat32(at, Number(value), true);
  else if (ELEMENT_BYTES[element] === 1) view.setUint8(at, Number(value));
  else if (ELEMENT_BYTES[element] === 2) view.setUint16(at, Number(value), true);
  else view.setUint32(at, Number(value), true);
}
