import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { MgrError } from "../base/errors.ts";
import { quoteWords } from "../base/text/shell-words.ts";
import { makeFoldersSync } from "./make-folders.ts";
import { isTrustedOwner } from "./owners.ts";
import { foreignWriters, ownerAndMode } from "./permissions.ts";

const STICKY = 0o1000;
/** Maximum number of links in a path, as in the kernel. */
const MAX_LINKS = 40;

/**
 * Creates the folder (mode 0700) if it is missing. Throws `conflict` unless only this user and root can change what is in it, and which folder
 * its path leads to.
 */
export function makeStateFolder(path: string): void {
  assertTrustedPath(path);
  makeFoldersSync(path, 0o700);
  assertTrustedPath(path);
}

/** Checks a folder in the same way; it may be missing, and so may the folders above it. */
export function assertTrustedPath(path: string): void {
  assertTrusted(path, partsOf(resolve(path)), true);
}

/** Checks only the folders above `path` in the same way: others may add files beside it, as in /tmp, but not replace it. */
export function assertTrustedParents(path: string): void {
  assertTrusted(path, partsOf(dirname(resolve(path))), false);
}

/** `isWhole`: the last one of `rest` is `path` itself, not a folder above it. */
function assertTrusted(path: string, rest: string[], isWhole: boolean): void {
  let links = 0;
  let folder = "/";
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(folder, part);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.isSymbolicLink()) {
      if (!isTrustedOwner(found.uid)) throw untrusted(path, next, found, `is a symbolic link of another user (${ownerAndMode(found)})`);
      if (++links > MAX_LINKS) throw new MgrError("conflict", `${path} leads through more than ${MAX_LINKS} symbolic links`);
      const target = readlinkSync(next);
      if (target.startsWith("/")) folder = "/";
      rest.unshift(...partsOf(target));
    } else {
      assertTrustedFolder(path, next, found, isWhole && rest.length === 0);
      folder = next;
    }
  }
}

function assertTrustedFolder(path: string, folder: string, found: Stats, isLast: boolean): void {
  if (!found.isDirectory()) throw new MgrError("conflict", `${folder} is not a folder; remove it, or choose another state folder`);
  if (!isTrustedOwner(found.uid)) throw untrusted(path, folder, found, `belongs to another user (${ownerAndMode(found)})`);
  // In a folder such as /tmp other users can add files, but not replace those that are there.
  if (!isLast && (found.mode & STICKY) !== 0) return;
  const writers = foreignWriters(found);
  if (writers === null) return;
  const effect = isLast ? "" : `, who can replace ${path}`;
  const remedy = `Check what is in it, then run: ${quoteWords(["chmod", "go-w", folder])}`;
  throw new MgrError("conflict", `${folder} can be written by ${writers} (${ownerAndMode(found)})${effect}. ${remedy}`);
}

/** Refuses something that its owner could still change after a repair: it has to be moved away. */
function untrusted(path: string, at: string, found: Stats, what: string): MgrError {
  const effect = at === resolve(path) ? "who can change what mgr runs" : `who can replace ${path}`;
  const remedy = found.isSymbolicLink() ? quoteWords(["rm", at]) : quoteWords(["mv", at, `${at}.foreign`]);
  return new MgrError("conflict", `${at} ${what}, ${effect}. Choose another state folder, or move it away: ${remedy}`);
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
