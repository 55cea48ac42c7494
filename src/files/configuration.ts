import { type Stats, statSync } from "node:fs";
import { quoteWords } from "../base/text/shell-words.ts";
import { isTrustedOwner } from "./owners.ts";
import { foreignWriters, ownerAndMode } from "./permissions.ts";

/** The end of each refusal, for users who trust the file. */
const OVERRIDE = "To use it as it is, add --trust-config";

/**
 * The reason for refusing a file as configuration, which decides what runs; null: only trusted users can change it (docs/decisions/0049). The owner
 * of the program that runs is trusted, too, and the user who has called sudo.
 */
export function configurationRefusal(path: string, stats: Stats): string | null {
  if (!isTrustedOwner(stats.uid) && !isCaller(stats.uid) && stats.uid !== ownerOfProgram())
    return `belongs to another user (${ownerAndMode(stats)}), who can change what mgr runs. ${OVERRIDE}`;
  const writers = foreignWriters(stats);
  if (writers === null) return null;
  const remedy = `Check what is in it, then run: ${quoteWords(["chmod", "go-w", path])}`;
  return `can be written by ${writers} (${ownerAndMode(stats)}), who can change what mgr runs. ${remedy}. ${OVERRIDE}`;
}

/** Whether this is root's program, and the user has called it with sudo. */
export function isCaller(uid: number): boolean {
  return process.geteuid?.() === 0 && String(uid) === process.env.SUDO_UID;
}

/** The owner of the program that runs, who could change it as well; null: unknown. */
function ownerOfProgram(): number | null {
  const [, program] = process.argv;
  return program === undefined ? null : (statSync(program, { throwIfNoEntry: false })?.uid ?? null);
}
