import { quoteWords } from "../../../../base/text/shell-words.ts";
import { UnfitValue } from "../model/failure.ts";
import { OPEN } from "./variables.ts";

/**
 * The words of a command line as Python's shlex.split reads them, which supervisord and Docker Compose follow: quotes and backslashes, but
 * no expansions and no operators. Throws UnfitValue.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (let index = 0; index < line.length; index++) {
    const char = line.charAt(index);
    if (/[ \t\r\n]/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === "'") {
      const end = line.indexOf("'", index + 1);
      if (end < 0) throw new UnfitValue("the command has an unclosed single quote");
      word = (word ?? "") + line.slice(index + 1, end);
      index = end;
    } else if (char === '"') {
      const inner = doubleQuoted(line, index + 1);
      word = (word ?? "") + inner.text;
      index = inner.end;
    } else if (char === "\\") {
      if (index + 1 >= line.length) throw new UnfitValue("the command ends with a backslash that quotes nothing");
      word = (word ?? "") + line.charAt(++index);
    } else word = (word ?? "") + char;
  }
  if (word !== null) words.push(word);
  return words;
}

/** Between double quotes, a backslash quotes only itself and the quote. */
function doubleQuoted(line: string, start: number): { text: string; end: number } {
  let text = "";
  for (let index = start; index < line.length; index++) {
    const char = line.charAt(index);
    if (char === '"') return { text, end: index };
    const next = line[index + 1];
    if (char === "\\" && (next === '"' || next === "\\")) {
      text += next;
      index++;
    } else text += char;
  }
  throw new UnfitValue("the command has an unclosed double quote");
}

/** The words as a command of the configuration: a line, or a list if a word has a variable, whose value could have quotes. */
export function commandOf(words: readonly string[]): string | readonly string[] {
  return words.some((word) => word.includes(OPEN)) ? words : quoteWords(words);
}
