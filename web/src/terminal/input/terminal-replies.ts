/** Replies that a terminal sends by itself, ESC written as ␛ and BEL as ␇. */
const REPLIES = [
  // Device attributes, device status, cursor position, mode reports, window sizes.
  /^␛\[[?>=]?[\d;]*(?:[cnRt]|\$y)/,
  // Colours; settings; the terminal's name.
  /^␛\](?:4;\d+|1[0-9]);[^␇␛]*(?:␇|␛\\)/,
  /^␛P[^␛]*␛\\/,
];

/**
 * Whether a text consists only of replies that a terminal sends by itself when a program queries it. Users do not type them; old queries must
 * not be answered when the output is shown again.
 */
export function isTerminalReply(text: string): boolean {
  let rest = text.replaceAll("\x1b", "␛").replaceAll("\x07", "␇");
  while (rest !== "") {
    const length = REPLIES.map((reply) => reply.exec(rest)?.[0].length ?? 0).find((found) => found > 0);
    if (length === undefined) return false;
    rest = rest.slice(length);
  }
  return text !== "";
}
