/** Maximum number of levels of a JSON value that is encoded again or examined: `JSON.parse` accepts depths at which recursion fails. */
export const MAX_JSON_LEVELS = 64;

/** Whether a JSON value has at most `levels` levels of lists and objects. */
export function isShallow(value: unknown, levels = MAX_JSON_LEVELS): boolean {
  if (value === null || typeof value !== "object") return true;
  if (levels === 0) return false;
  return Object.values(value).every((item) => isShallow(item, levels - 1));
}

/** The value of a JSON text from outside; undefined for a text that is not JSON, which no schema accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
