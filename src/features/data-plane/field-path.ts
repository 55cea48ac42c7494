/** Fields of samples: `position[0]`, `pose.x`, `["odd key"].value`. */

export type FieldPath = readonly (string | number)[];

const STEP = /(?:^|(?<=[\s\S])\.)([^.[\]"]+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]/y;
const PLAIN_KEY = /^[^.[\]"]+$/;
/**
 * Numbers that JSON has as text: decimal integers that JSON numbers cannot hold exactly, and numbers that JSON does not support (docs/clients.md,
 * "Encodings").
 */
const NUMBER_TEXT = /^(?:-?\d{16,20}|NaN|-?Infinity)$/;
/** Maximum nesting of objects. */
const MAX_DEPTH = 32;

/** Parses the text of a path; null: it is not a path. */
export function parseFieldPath(text: string): FieldPath | null {
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const [, key, index, quoted] = STEP.exec(text) ?? [];
    if (key !== undefined) path.push(key);
    else if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) path.push(unquoted(quoted));
    else return null;
  }
  return path.length === 0 ? null : path;
}

/** The text of a path; the inverse of `parseFieldPath`. */
export function fieldPathText(path: FieldPath): string {
  return path
    .map((step, at) => {
      if (typeof step === "number") return `[${step}]`;
      if (!PLAIN_KEY.test(step)) return `[${JSON.stringify(step)}]`;
      return at === 0 ? step : `.${step}`;
    })
    .join("");
}

/** The field; undefined if the value does not have it. */
export function fieldAt(value: unknown, path: FieldPath): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}

/** The fields without further fields in them, in order, at most `limit`. */
export function leavesOf(value: unknown, limit: number): { path: FieldPath; value: unknown }[] {
  const found: { path: FieldPath; value: unknown }[] = [];
  const walk = (at: unknown, path: FieldPath) => {
    if (found.length >= limit) return;
    if (typeof at !== "object" || at === null || path.length >= MAX_DEPTH) found.push({ path, value: at });
    else if (Array.isArray(at) || isTypedArray(at)) for (let i = 0; i < at.length && found.length < limit; i++) walk(at[i], [...path, i]);
    else for (const [key, field] of Object.entries(at)) walk(field, [...path, key]);
  };
  walk(value, []);
  return found;
}

/** The value as a point of a plot: numbers, also those that JSON has as text, and booleans as 0 and 1; null for anything else. */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  return typeof value === "string" && NUMBER_TEXT.test(value) ? Number(value) : null;
}

function isTypedArray(value: object): value is ArrayLike<unknown> & object {
  return ArrayBuffer.isView(value) && "length" in value;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
