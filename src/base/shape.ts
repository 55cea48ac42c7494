/** A test for each field of T. */
export type Shape<T> = { readonly [K in keyof T]-?: (value: unknown) => value is T[K] };

/**
 * Whether `value` is an object with these fields, and maybe others. Used for files that each command reads when it starts: loading zod would take a
 * tenth of its time.
 */
export function hasShape<T extends object>(value: unknown, shape: Shape<T>): value is T {
  return isObject(value) && (Object.keys(shape) as (keyof T)[]).every((name) => shape[name](Reflect.get(value, name)));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
