/** Words that mean something to sh only as an unquoted first word: reserved words, and builtins that are not programs. */
export const SHELL_WORDS: ReadonlySet<string> = new Set(
  (
    "! { } case do done elif else esac fi for function if in select then time until while " +
    ". : alias bg break cd command continue eval exec exit export fg getopts hash jobs local read readonly return set shift source times trap type ulimit umask unalias unset wait"
  ).split(" "),
);

/** `argv` as one line that sh splits into the same words again. */
export function quoteWords(argv: readonly string[]): string {
  return argv.map((word, index) => (isPlain(word, index === 0) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

function isPlain(word: string, first: boolean): boolean {
  if (!/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return false;
  return !first || !(word.includes("=") || SHELL_WORDS.has(word));
}
