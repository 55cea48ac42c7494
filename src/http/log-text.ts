import type { LogEntry } from "../protocol/resources.ts";

// Control characters, line and paragraph separators, and marks that turn the direction of text: a log line must not be
// able to fake another line, or to drive the terminal that shows it.
const DANGEROUS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** One line of `/mgr/log`, with its newline (protocol-decisions, "HTTP"). */
export function formatLogLine({ ts, level, source, msg }: LogEntry): string {
  return `${ts} ${level} ${escapeControls(source)}: ${escapeControls(msg)}\n`;
}

function escapeControls(text: string): string {
  return text.replace(DANGEROUS, escapeOne);
}

function escapeOne(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return SHORT[character] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`);
}
