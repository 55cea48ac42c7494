/**
 * Maximum number of elements of one array, bytes of one binary field, values of one sample, levels, and characters of a text; the rest is cut,
 * with a note.
 */
const MAX_ELEMENTS = 1_000;
const MAX_BYTES = 48 * 1024;
const MAX_VALUES = 20_000;
const MAX_DEPTH = 32;
const MAX_TEXT_CHARS = 48 * 1024;

/**
 * A decoded message as a JSON value (docs/protocol.md, `topic_sample`): 64-bit integers, NaN and infinities are strings, binary fields base64. The
 * size is bounded for any message.
 */
export function jsonValueOf(value: unknown): unknown {
  return convert(value, { left: MAX_VALUES }, 0);
}

function convert(value: unknown, budget: { left: number }, depth: number): unknown {
  if (--budget.left < 0 || depth > MAX_DEPTH) return "… cut";
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return value.toString();
    case "string":
      return value.length <= MAX_TEXT_CHARS ? value : `${value.slice(0, MAX_TEXT_CHARS)}… ${value.length - MAX_TEXT_CHARS} more characters`;
    case "boolean":
      return value;
    case "object":
      return value === null ? null : convertObject(value, budget, depth);
    default:
      return null;
  }
}

function convertObject(value: object, budget: { left: number }, depth: number): unknown {
  if (value instanceof Uint8Array) return base64Of(value);
  if (Array.isArray(value)) return convertArray(value, budget, depth);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return convertArray(value as unknown as ArrayLike<unknown>, budget, depth);
  // A field may be called __proto__.
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, convert(field, budget, depth + 1)]));
}

function convertArray(values: ArrayLike<unknown>, budget: { left: number }, depth: number): unknown[] {
  const count = Math.min(values.length, MAX_ELEMENTS);
  const shown: unknown[] = [];
  while (shown.length < count && budget.left > 0) shown.push(convert(values[shown.length], budget, depth + 1));
  const more = values.length - shown.length;
  if (more > 0) shown.push(`… ${more} more elements`);
  return shown;
}

export function base64Of(bytes: Uint8Array): string {
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_BYTES)).toString("base64");
  return bytes.length <= MAX_BYTES ? shown : `${shown}… ${bytes.length - MAX_BYTES} more bytes`;
}
