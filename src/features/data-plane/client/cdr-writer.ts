import { MgrError } from "../../../base/errors.ts";
import type { MessageDefinition, MessageDefinitionField } from "../samples/message-definition.ts";

/** Encapsulation header of XCDR1, little-endian. */
const ENCAPSULATION = [0, 1, 0, 0];
const INITIAL_BYTES = 256;
const encoder = new TextEncoder();

type Writable = Readonly<Record<string, unknown>>;

interface Primitive {
  readonly size: number;
  /** Returns null if the value does not fit. */
  readonly convert: (value: unknown) => number | bigint | null;
  readonly write: (view: DataView, at: number, value: never) => void;
}

const PRIMITIVES: Readonly<Record<string, Primitive>> = {
  bool: { size: 1, convert: (value) => (typeof value === "boolean" || value === 0 || value === 1 ? Number(value) : null), write: uint8 },
  int8: { size: 1, convert: integer(-(2 ** 7), 2 ** 7 - 1), write: (view, at, value: number) => view.setInt8(at, value) },
  uint8: { size: 1, convert: integer(0, 2 ** 8 - 1), write: uint8 },
  int16: { size: 2, convert: integer(-(2 ** 15), 2 ** 15 - 1), write: (view, at, value: number) => view.setInt16(at, value, true) },
  uint16: { size: 2, convert: integer(0, 2 ** 16 - 1), write: (view, at, value: number) => view.setUint16(at, value, true) },
  int32: { size: 4, convert: integer(-(2 ** 31), 2 ** 31 - 1), write: (view, at, value: number) => view.setInt32(at, value, true) },
  uint32: { size: 4, convert: integer(0, 2 ** 32 - 1), write: (view, at, value: number) => view.setUint32(at, value, true) },
  int64: { size: 8, convert: long(-(2n ** 63n), 2n ** 63n - 1n), write: (view, at, value: bigint) => view.setBigInt64(at, value, true) },
  uint64: { size: 8, convert: long(0n, 2n ** 64n - 1n), write: (view, at, value: bigint) => view.setBigUint64(at, value, true) },
  float32: { size: 4, convert: float, write: (view, at, value: number) => view.setFloat32(at, value, true) },
  float64: { size: 8, convert: float, write: (view, at, value: number) => view.setFloat64(at, value, true) },
};

function uint8(view: DataView, at: number, value: number): void {
  view.setUint8(at, value);
}

function float(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function integer(min: number, max: number) {
  return (value: unknown) => (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max ? value : null);
}

/** Converts a 64-bit integer: a bigint, an integer, or decimal text. */
function long(min: bigint, max: bigint) {
  return (value: unknown) => {
    if (typeof value !== "bigint" && !Number.isInteger(value) && !(typeof value === "string" && /^-?\d{1,20}$/.test(value))) return null;
    const exact = BigInt(value as bigint);
    return exact >= min && exact <= max ? exact : null;
  };
}

/**
 * Writes ROS 2 messages as CDR. Missing fields get their default, else zero. MessageWriter of @foxglove/rosmsg2-serialization 3.1.0 is not used,
 * because it writes strings with non-ASCII characters wrongly (docs/decisions/dependencies.md).
 */
export class CdrWriter {
  readonly #root: readonly MessageDefinitionField[];
  readonly #types = new Map<string, readonly MessageDefinitionField[]>();
  #bytes = new Uint8Array(INITIAL_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  constructor(definitions: readonly MessageDefinition[]) {
    this.#root = definitions.find(({ name }) => name === undefined)?.definitions ?? [];
    for (const { name, definitions: fields } of definitions) if (name !== undefined) this.#types.set(name, fields);
  }

  /** Throws `bad_field` with the name of the field. */
  write(message: unknown): Uint8Array {
    this.#at = 0;
    this.#reserve(ENCAPSULATION.length);
    this.#bytes.set(ENCAPSULATION);
    this.#at = ENCAPSULATION.length;
    this.#struct(this.#root, message, "");
    return this.#bytes.slice(0, this.#at);
  }

  #struct(fields: readonly MessageDefinitionField[], value: unknown, path: string): void {
    if (typeof value !== "object" || value === null) throw refused(path === "" ? "the message" : path, "an object");
    for (const field of fields) {
      if (field.isConstant) continue;
      const at = path === "" ? field.name : `${path}.${field.name}`;
      const given = (value as Writable)[field.name] ?? field.defaultValue;
      if (field.isArray) this.#array(field, given ?? [], at);
      else this.#value(field, given, at);
    }
  }

  #array(field: MessageDefinitionField, value: unknown, path: string): void {
    if (!Array.isArray(value) && !(ArrayBuffer.isView(value) && Symbol.iterator in value)) throw refused(path, "a list");
    const items = value as ArrayLike<unknown>;
    const { arrayLength: fixed, arrayUpperBound: most = Number.POSITIVE_INFINITY } = field;
    // An omitted field is a list of zeros.
    const length = items.length === 0 ? (fixed ?? 0) : items.length;
    if (length !== (fixed ?? length)) throw refused(path, `a list of ${fixed} elements`);
    if (length > most) throw refused(path, `a list of at most ${most} elements`);
    if (fixed === undefined) this.#primitive("uint32", length, path);
    for (let index = 0; index < length; index++) this.#value(field, items[index], `${path}[${index}]`);
  }

  #value(field: MessageDefinitionField, value: unknown, path: string): void {
    const { type } = field;
    if (field.isComplex) this.#struct(this.#types.get(type) ?? [], value ?? {}, path);
    else if (type === "string") this.#string(value ?? "", path);
    else if (type === "time" || type === "duration") {
      const { sec = 0, nanosec = 0 } = (value ?? {}) as Writable;
      this.#primitive("int32", sec, `${path}.sec`);
      this.#primitive("uint32", nanosec, `${path}.nanosec`);
    } else this.#primitive(type, value ?? 0, path);
  }

  #primitive(type: string, value: unknown, path: string): void {
    const primitive = PRIMITIVES[type];
    if (!primitive) throw new MgrError("bad_field", `${path}: the type ${type} cannot be written`);
    const { size, convert, write } = primitive;
    const converted = convert(value);
    if (converted === null) throw refused(path, type === "bool" ? "true or false" : `a number of type ${type}`);
    this.#align(size);
    this.#reserve(size);
    write(this.#view, this.#at, converted as never);
    this.#at += size;
  }

  #string(value: unknown, path: string): void {
    if (typeof value !== "string") throw refused(path, "a string");
    const bytes = encoder.encode(value);
    this.#primitive("uint32", bytes.length + 1, path);
    this.#reserve(bytes.length + 1);
    this.#bytes.set(bytes, this.#at);
    this.#bytes[this.#at + bytes.length] = 0;
    this.#at += bytes.length + 1;
  }

  /** Aligns the next value, counted from the end of the encapsulation header. */
  #align(size: number): void {
    const rest = (this.#at - ENCAPSULATION.length) % size;
    if (rest === 0) return;
    this.#reserve(size - rest);
    this.#bytes.fill(0, this.#at, this.#at + size - rest);
    this.#at += size - rest;
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + size));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

function refused(path: string, expected: string): MgrError {
  return new MgrError("bad_field", `${path} must be ${expected}`);
}
