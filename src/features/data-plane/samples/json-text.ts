/**
 * JSON text. Values that JSON lacks are converted: non-finite numbers and large integers to text, bytes to base64 (docs/clients.md,
 * "Encodings").
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, replaced) ?? "null";
}

function replaced(this: object, key: string, value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") {
    const small = Number(value);
    return Number.isSafeInteger(small) ? small : value.toString();
  }
  // `toJSON` has already turned a Buffer into an object.
  const original: unknown = Reflect.get(this, key);
  if (original instanceof Uint8Array) return Buffer.from(original.buffer, original.byteOffset, original.length).toString("base64");
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as unknown as ArrayLike<unknown>) : value;
}
