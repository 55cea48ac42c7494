/** A text of the configuration in which `${…}` or `$$` was replaced. */
export class Expanded {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value that YAML would read in place of the text, for keys that accept a number, true or false. */
  get scalar(): string | number | boolean {
    const { text } = this;
    if (text === "true" || text === "false") return text === "true";
    return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
  }
}

/** Replaces expanded texts by plain strings; values without any are returned as they are. */
export function withPlainText(value: unknown): unknown {
  if (value instanceof Expanded) return value.text;
  if (Array.isArray(value)) return value.some(holdsExpanded) ? value.map(withPlainText) : value;
  if (value instanceof Map && holdsExpanded(value)) return new Map([...value].map(([key, item]) => [key, withPlainText(item)]));
  return value;
}

function holdsExpanded(value: unknown): boolean {
  if (value instanceof Expanded) return true;
  if (Array.isArray(value)) return value.some(holdsExpanded);
  if (!(value instanceof Map)) return false;
  for (const item of value.values()) if (holdsExpanded(item)) return true;
  return false;
}
