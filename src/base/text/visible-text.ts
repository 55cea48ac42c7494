/**
 * Escapes untrusted text (names, users, paths, messages of programs): it may have characters that control a terminal, fake a line or change the
 * direction of the text around them. All such text is escaped here before it is printed or logged.
 */

// Controls, line and paragraph separators, halves of characters, and format characters, among them those of the direction of
// text. The joiners U+200C and U+200D stay: scripts and emoji are written with them.
export const DANGEROUS = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const DANGEROUS_WITHIN_LINES = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** A cheaper check: text with only lines of printable ASCII, as most of a log, needs no escapes. */
const NOT_PLAIN = /[^\n\x20-\x7e]/;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `text` in one line, in which dangerous characters are shown as `\n`, `\x1b`, `\u202e` and the like. Text without it stays as it is. */
export function visible(text: string): string {
  return text.replace(DANGEROUS, escaped);
}

/** Escapes text of several lines in the same way. */
export function visibleLines(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replace(DANGEROUS_WITHIN_LINES, escaped);
}

/** `json`, the text of a JSON value, with dangerous characters escaped in ASCII; it means the same. */
export function visibleJson(json: string): string {
  if (!NOT_PLAIN.test(json)) return json;
  return json.replace(DANGEROUS_WITHIN_LINES, (character) =>
    Array.from({ length: character.length }, (_, unit) => `\\u${hex(character.charCodeAt(unit), 4)}`).join(""),
  );
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${hex(code, 0)}}`;
  return SHORT[character] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
