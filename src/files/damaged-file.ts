import { linkSync, lstatSync, renameSync } from "node:fs";

/** Renames a damaged file to the returned path. */
export function setAside(path: string): string {
  const aside = freeName(path);
  renameSync(path, aside);
  return aside;
}

/** Gives a damaged file a second name, the returned path. It stays in its place, in case the program is killed before it has saved what it read. */
export function nameAsDamaged(path: string): string {
  const aside = freeName(path);
  linkSync(path, aside);
  return aside;
}

function freeName(path: string): string {
  let number = 1;
  while (lstatSync(`${path}.damaged-${number}`, { throwIfNoEntry: false }) !== undefined) number++;
  return `${path}.damaged-${number}`;
}
