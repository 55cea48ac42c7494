import { UnfitValue } from "../../model/failure.ts";

const EXPRESSION = /%(?:%|\((\w+)\)([-#0 +]*)(\d*)(?:\.\d+)?([a-zA-Z]))/g;

/**
 * The text with Python's `%(name)s` and `%(name)02d` replaced, as supervisord expands its values. `lookup` returns undefined for an unknown
 * name. Throws UnfitValue.
 */
export function pythonFormat(text: string, lookup: (name: string) => string | number | undefined): string {
  let end = 0;
  let result = "";
  const plain = (part: string) => {
    if (part.includes("%")) throw new UnfitValue("has a % that is no %(name)s; a literal one is written %%");
    result += part;
  };
  for (const match of text.matchAll(EXPRESSION)) {
    const [all, name, flags = "", width = "", conversion = ""] = match;
    plain(text.slice(end, match.index));
    end = match.index + all.length;
    if (name === undefined) {
      result += "%";
      continue;
    }
    const value = lookup(name);
    if (value === undefined) throw new UnfitValue(`uses %(${name})s, which is not known here`);
    result += formatted(value, conversion, { flags, width: Math.min(Number(width), 255) });
  }
  plain(text.slice(end));
  return result;
}

function formatted(value: string | number, conversion: string, { flags, width }: { flags: string; width: number }): string {
  if (conversion === "s") return flags.includes("-") ? String(value).padEnd(width) : String(value).padStart(width);
  if (!"di".includes(conversion) || typeof value !== "number")
    throw new UnfitValue(`has the format %${conversion}, which is not supported`);
  if (flags.includes("-")) return String(value).padEnd(width);
  return String(value).padStart(width, flags.includes("0") ? "0" : " ");
}
