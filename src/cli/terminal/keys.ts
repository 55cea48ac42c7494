/** Names of keys that are not characters. */
const SEQUENCES: Readonly<Record<string, string>> = {
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOC": "right",
  "\x1bOD": "left",
  "\x1b[5~": "page-up",
  "\x1b[6~": "page-down",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1bOH": "home",
  "\x1bOF": "end",
  "\x1b": "escape",
  "\r": "enter",
  "\n": "enter",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x03": "ctrl-c",
  "\x0c": "ctrl-l",
  "\x15": "ctrl-u",
  "\x1a": "ctrl-z",
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters
const KEY = /\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[A-Z]|\x1b|[\s\S]/gu;

/** A key that was typed: a name as above, or the character itself; `end` is the position in the text after it. */
export interface TypedKey {
  readonly key: string;
  readonly end: number;
}

/** Parses typed text. Sequences without a meaning here are left out. */
export function keysOf(text: string): TypedKey[] {
  return [...text.matchAll(KEY)].flatMap(({ 0: typed, index }) => {
    const key = Object.hasOwn(SEQUENCES, typed) ? SEQUENCES[typed] : /^\p{Cc}/u.test(typed) ? undefined : typed;
    return key === undefined ? [] : { key, end: index + typed.length };
  });
}
