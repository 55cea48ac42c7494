import { MgrError } from "../base/errors.ts";
import { quoteWords, SHELL_WORDS } from "../base/text/shell-words.ts";
import type { Program } from "../contract/run.ts";

/** A command as configured or overridden: its text for people, and the program that the host executes. */
export interface Command {
  /** One line; array commands are shell-quoted (docs/design/wire-rules.md, "Processes"). */
  readonly text: string;
  readonly program: Program;
}

/**
 * The command of a configuration or an override. A string without shell syntax is split into words as sh would and
 * executed directly; with shell syntax, or `shell: true`, it is a line for `/bin/sh -c`. An array is always executed
 * directly. Throws MgrError `bad_field` with a message that is a sentence without a subject ("has an unclosed …").
 */
export function toCommand(source: string | readonly string[], shell = false): Command {
  if (typeof source !== "string") return fromWords(source, shell);
  if (source.includes("\0")) throw refusal("contains a NUL character, which is not allowed in a command");
  const text = source.trim();
  if (text === "") throw refusal("is empty");
  if (shell) return { text, program: { kind: "shell", line: source } };
  const words = splitWords(source);
  if (words === null) return { text, program: { kind: "shell", line: source } };
  if (words[0] === "") throw refusal("has an empty program name");
  return { text, program: { kind: "exec", argv: words } };
}

function fromWords(argv: readonly string[], shell: boolean): Command {
  if (argv.length === 0) throw refusal("is an empty list; the first item must be the program");
  if (argv[0] === "") throw refusal("has an empty program name");
  if (argv.some((word) => word.includes("\0"))) throw refusal("contains a NUL character, which is not allowed in a command");
  if (shell) throw refusal("is a list; with 'shell: true' it must be a string");
  return { text: quoteWords(argv), program: { kind: "exec", argv: [...argv] } };
}

// These have a meaning to sh in any unquoted place of a word: operators, expansions, globs, and a newline.
const SHELL_ANYWHERE = new Set("|&;<>()$`*?[\n");
const SHELL_AT_WORD_START = new Set("#~");
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** The words of `line`, or null if the line needs a shell. */
function splitWords(line: string): string[] | null {
  const source = line.replace(/^[ \t\n]+/, "");
  const words: string[] = [];
  /** The word being read; undefined between words. `quoted` says whether a part of it was quoted. */
  let word: string | undefined;
  let quoted = false;
  const finish = (): boolean => {
    if (word === undefined) return true;
    if (words.length === 0 && !quoted && SHELL_WORDS.has(word)) return false;
    words.push(word);
    word = undefined;
    quoted = false;
    return true;
  };
  for (let index = 0; index < source.length; index++) {
    const char = source.charAt(index);
    if (char === " " || char === "\t") {
      if (!finish()) return null;
    } else if (char === "\n" && /^[ \t\n]*$/.test(source.slice(index))) {
      break; // A newline at the end, as of a YAML block scalar, is ignored.
    } else if (SHELL_ANYWHERE.has(char) || (word === undefined && SHELL_AT_WORD_START.has(char))) {
      return null;
    } else if (char === "\\") {
      const next = source[++index];
      if (next === undefined) throw refusal("ends with a backslash that quotes nothing");
      if (next === "\n") continue;
      word = (word ?? "") + next;
      quoted = true;
    } else if (char === "'") {
      const end = source.indexOf("'", index + 1);
      if (end < 0) throw refusal(`has an unclosed single quote at character ${index + 1}`);
      word = (word ?? "") + source.slice(index + 1, end);
      quoted = true;
      index = end;
    } else if (char === '"') {
      const inner = readDoubleQuoted(source, index);
      if (inner === null) return null;
      word = (word ?? "") + inner.text;
      quoted = true;
      index = inner.end;
    } else {
      word = (word ?? "") + char;
      if (char === "=" && words.length === 0 && !quoted && ASSIGNMENT.test(word)) return null;
    }
  }
  if (!finish()) return null;
  if (words.length === 0) throw refusal("is empty");
  return words;
}

/** Between double quotes a backslash quotes only `$`, a backquote, `"`, itself and a newline; null at an expansion. */
function readDoubleQuoted(source: string, start: number): { text: string; end: number } | null {
  let text = "";
  for (let index = start + 1; index < source.length; index++) {
    const char = source.charAt(index);
    if (char === '"') return { text, end: index };
    if (char === "$" || char === "`") return null;
    const next = source[index + 1];
    if (char === "\\" && next !== undefined && '$`"\\\n'.includes(next)) {
      if (next !== "\n") text += next;
      index++;
    } else text += char;
  }
  throw refusal(`has an unclosed double quote at character ${start + 1}`);
}

function refusal(message: string): MgrError {
  return new MgrError("bad_field", message);
}
