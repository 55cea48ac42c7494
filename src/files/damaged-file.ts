import { linkSync, lstatSync, readdirSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Number of damaged copies of one file that are kept, the newest. A file that is damaged at each start must not fill the disk. */
const MAX_DAMAGED = 5;

/** Renames a damaged file. Returns its new path, and which older ones were removed, as part of a sentence. */
export function setAside(path: string): string {
  return asDamaged(path, renameSync);
}

/**
 * Gives a damaged file a second name, and returns it as `setAside` does. The file stays in its place, in case the program is killed before it has
 * saved what it read.
 */
export function nameAsDamaged(path: string): string {
  return asDamaged(path, linkSync);
}

function asDamaged(path: string, give: (from: string, to: string) => void): string {
  const folder = dirname(path);
  const before = `${basename(path)}.damaged-`;
  const numbers = readdirSync(folder)
    .flatMap((name) =>
      name.startsWith(before) && /^[1-9]\d{0,14}$/.test(name.slice(before.length)) ? Number(name.slice(before.length)) : [],
    )
    .sort((a, b) => a - b);
  const asideOf = (number: number) => join(folder, `${before}${number}`);
  const aside = asideOf((numbers.at(-1) ?? 0) + 1);
  give(path, aside);
  // A folder of such a name is none of ours.
  const old = numbers
    .slice(0, Math.max(0, numbers.length - (MAX_DAMAGED - 1)))
    .filter((number) => !lstatSync(asideOf(number)).isDirectory());
  for (const number of old) unlinkSync(asideOf(number));
  if (old.length === 0) return aside;
  return `${aside} (the newest ${MAX_DAMAGED} are kept: ${old.map((number) => `${before}${number}`).join(", ")} removed)`;
}
