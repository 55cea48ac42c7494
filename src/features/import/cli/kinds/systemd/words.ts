import { quoteWords } from "../../../../../base/text/shell-words.ts";
import { UnfitValue } from "../../model/failure.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
  s: " ",
};

/** The words of a value, with quotes and C escapes as systemd.syntax(7) describes them ("Quoting"). Throws UnfitValue. */
export function unitWords(text: string): string[] {
  return readWords(text).map((word) => word.text);
}

/** The words, and whether each is a `;` without quotes, which separates commands. */
function readWords(text: string): { text: string; isSeparator: boolean }[] {
  const words: { text: string; isSeparator: boolean }[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  let start = 0;
  const finish = (end: number) => {
    if (word !== null) words.push({ text: word, isSeparator: text.slice(start, end) === ";" });
    word = null;
  };
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (word === null) start = index;
    if (char === "\\") {
      const [all, read] = escapeAt(text.slice(index));
      word = (word ?? "") + read;
      index += all.length - 1;
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else word = (word ?? "") + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) finish(index);
    else word = (word ?? "") + char;
  }
  if (quote !== null) throw new UnfitValue(`has an unclosed ${quote}`);
  finish(text.length);
  return words;
}

/** An escape and what it means; an unknown one stays as it is. */
function escapeAt(text: string): readonly [all: string, read: string] {
  const [all, hex, octal, short, long] = /^\\(?:x([0-9a-f]{2})|([0-7]{3})|u([0-9a-f]{4})|U([0-9a-f]{8}))/i.exec(text) ?? [];
  if (all !== undefined) {
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "0", 16) : Number.parseInt(octal, 8);
    return code > 0 && code <= 0x10_ffff ? [all, String.fromCodePoint(code)] : [all, all];
  }
  const char = text[1] ?? "";
  return [`\\${char}`, ESCAPES[char] ?? `\\${char}`];
}

/** A command line of a unit. */
export interface UnitCommand {
  readonly words: readonly string[];
  /** Whether a failure is ignored (prefix `-`). */
  readonly mayFail: boolean;
  /** Prefixes that have no counterpart. */
  readonly otherPrefixes: string;
}

/** The command lines of an `Exec…` value; a word `;` separates several. */
export function unitCommands(value: string, specifiers: (text: string) => string): UnitCommand[] {
  const commands: string[][] = [[]];
  for (const { text, isSeparator } of readWords(value))
    if (isSeparator) commands.push([]);
    else commands.at(-1)?.push(text === "\\;" ? ";" : specifiers(text));
  return commands
    .filter((words) => words.length > 0)
    .map(([first = "", ...rest]) => {
      const [prefixes = ""] = /^[-@:+!|]+/.exec(first) ?? [];
      const program = first.slice(prefixes.length);
      // Behind "@" the second word is the name that the program sees.
      const words = [program, ...(prefixes.includes("@") ? rest.slice(1) : rest)];
      return { words, mayFail: prefixes.includes("-"), otherPrefixes: prefixes.replace(/[-]/g, "") };
    });
}

/** The command as a line for mgr: executed directly without variables, else for sh. */
export function commandLine({ words, otherPrefixes }: UnitCommand): string {
  // Behind ":" nothing is expanded.
  if (otherPrefixes.includes(":") || !words.some((word) => word.includes("$"))) return quoteWords(words);
  return words.map(forShell).join(" ");
}

/** A word with its variables for sh: `$X` alone is split into words, `${X}` is not. */
function forShell(word: string): string {
  if (/^\$[A-Za-z_]\w*$/.test(word)) return word;
  return word
    .split(/(\$\$|\$\{[A-Za-z_]\w*\})/)
    .filter((part) => part !== "")
    .map((part) => (part === "$$" ? "'$'" : /^\$\{/.test(part) ? `"${part}"` : quoteWords([part])))
    .join("");
}
