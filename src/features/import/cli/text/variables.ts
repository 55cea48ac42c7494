/** First and last character of a mark; text of files cannot contain them (`withoutMarks`). */
export const OPEN = "\uE000";
const CLOSE = "\uE001";

/**
 * Variables in texts of an imported file. While these are split and quoted, each stands as a mark; in the new configuration it is
 * `${NAME:-default}` with the default that it has now.
 */
export class Variables {
  /** Values that `defines` of the new configuration needs. */
  readonly defines = new Map<string, string>();
  readonly #expressions: { name: string; fallback: string }[] = [];

  /** The mark of a variable. `fallback` is its value where it is missing or empty. */
  mark(name: string, fallback: string): string {
    this.#expressions.push({ name, fallback });
    return `${OPEN}${this.#expressions.length - 1}${CLOSE}`;
  }

  /** The text as the new configuration writes it: marks become expansions, and other dollars that would be expanded are doubled. */
  written(text: string): string {
    const doubled = escapeDollars(text);
    // A dollar just before a mark would be read as one with it.
    return doubled.replace(/\$?\uE000(\d+)\uE001/g, (mark, index: string) => {
      const { name = "", fallback = "" } = this.#expressions[Number(index)] ?? {};
      return `${mark.startsWith("$") ? "$$" : ""}\${${name}:-${this.#inDefault(name, fallback)}}`;
    });
  }

  /** A default ends at the first closing brace, which cannot be quoted there: a value with one is a definition of its own. */
  #inDefault(name: string, fallback: string): string {
    if (!fallback.includes("}")) return this.written(fallback);
    const definition = `${name}_DEFAULT`;
    this.defines.set(definition, this.written(fallback));
    return `\${${definition}}`;
  }
}

/** Text of a file, without characters that are used as marks. */
export function withoutMarks(text: string): string {
  return text.replace(/[\uE000\uE001]/g, "\uFFFD");
}

/** Doubles each dollar that has a meaning in a configuration: before `{` and another dollar. */
export function escapeDollars(text: string): string {
  return text.replace(/\$(?=[${])/g, "$$$$");
}
