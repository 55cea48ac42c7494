import { Expanded } from "../../config/schema/expanded.ts";

/** `{index}`, or `{index+8000}` for a number that begins elsewhere, such as a port. */
const PLACEHOLDER = /\{index(?:\+(\d{1,9}))?\}/g;

/** Replaces the placeholders of a text by the index of a replica. */
export function textOf(text: string, index: number): string {
  return text.replace(PLACEHOLDER, (_whole, offset?: string) => String(index + Number(offset ?? 0)));
}

/** Whether a value of the configuration has a placeholder at any depth, not counting keys. */
export function hasPlaceholder(value: unknown): boolean {
  if (value instanceof Expanded) return hasPlaceholder(value.text);
  if (typeof value === "string") return textOf(value, 1) !== value;
  if (Array.isArray(value)) return value.some(hasPlaceholder);
  return value instanceof Map && [...value.values()].some(hasPlaceholder);
}

/** Replaces the placeholders in all texts of a value, not in keys. The new texts count as numbers where a key accepts numbers. */
export function withIndex(value: unknown, index: number): unknown {
  if (value instanceof Expanded) return new Expanded(textOf(value.text, index));
  if (typeof value === "string") {
    const text = textOf(value, index);
    return text === value ? value : new Expanded(text);
  }
  if (Array.isArray(value)) return value.map((item) => withIndex(item, index));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, withIndex(item, index)]));
  return value;
}
