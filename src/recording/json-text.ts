/** JSON of values that JSON does not know: non-finite numbers and large integers as text, bytes as base64 (docs/clients.md, "Encodings"). */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, replaced) ?? "null";
}

function replaced(this: object, key: string, value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") {
    const small = Number(value);
    return Number.isSafeInteger(small) ? small : value.toString();
  }
  // A Buffer is an object of its bytes by now.
  const original: unknown = Reflect.get(this, key);
  if (original instanceof Uint8Array) return Buffer.from(original.buffer, original.byteOffset, original.length).toString("base64");
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as unknown as ArrayLike<unknown>) : value;
}
