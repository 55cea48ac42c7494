import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { MgrError, messageOf } from "../base/errors.ts";
import { quoteWords } from "../base/text/shell-words.ts";
import { FOREIGN_WRITE, isTrustedOwner } from "./owners.ts";
import { ownerAndMode } from "./permissions.ts";

/** Opening with these flags never waits for the other end of a named pipe, follows no link, and makes no terminal the controlling one. */
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const STATE_MODE = 0o600;

export interface StateFileOptions {
  /** Whether root may read the files of every user: for commands, which may be meant for the manager of any user. */
  readonly rootReadsAll?: boolean;
  /** For `readStateText`: a longer file is not read. */
  readonly maxBytes?: number;
}

/**
 * Opens a file of a state folder (docs/decisions/0048). Its content decides what mgr does, so only this user and root may have written it: throws
 * `conflict` for a file of another user, one that others can write, a link, or anything but a regular file. A missing file is the system's error
 * (ENOENT), unless `flags` create it, with mode 0600.
 */
export function openStateFile(path: string, flags: number, options: StateFileOptions = {}): number {
  let fd: number;
  try {
    fd = openSync(path, safeFlags(flags), STATE_MODE);
  } catch (error) {
    throw openingFailed(path, error, options);
  }
  try {
    assertOwn(path, fstatSync(fd), options);
    if ((flags & constants.O_TRUNC) !== 0) ftruncateSync(fd);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens a file of a state folder without blocking this thread, for disks that hang. */
export async function openStateFileAsync(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, safeFlags(flags), STATE_MODE).catch((error: unknown) => {
    throw openingFailed(path, error, {});
  });
  try {
    assertOwn(path, await file.stat(), {});
    if ((flags & constants.O_TRUNC) !== 0) await file.truncate();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The text of a file of a state folder; null: there is none. Throws as `openStateFile` does, and `too_large`. */
export function readStateText(path: string, options: StateFileOptions = {}): string | null {
  try {
    const fd = openStateFile(path, constants.O_RDONLY, options);
    try {
      const { size } = fstatSync(fd);
      const { maxBytes = size } = options;
      if (size > maxBytes) throw new MgrError("too_large", `${size} bytes; the maximum is ${maxBytes}`);
      return readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The content of a file of a state folder; null: there is none. Rejects as `openStateFile` throws. */
export async function readStateBytes(path: string): Promise<Buffer | null> {
  try {
    await using file = await openStateFileAsync(path, constants.O_RDONLY);
    return await file.readFile();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Removes O_TRUNC: the file is truncated only once it is known to be trusted. */
function safeFlags(flags: number): number {
  return (flags & ~constants.O_TRUNC) | SAFE;
}

function openingFailed(path: string, cause: unknown, options: StateFileOptions): unknown {
  if (isMissing(cause)) return cause;
  // A link and a named pipe without a reader cannot be opened at all.
  const found = lstatOrNull(path);
  const why = found === null ? null : refusal(path, found, options);
  return new MgrError("conflict", why ?? `${path} cannot be opened: ${messageOf(cause)}`, { cause });
}

function assertOwn(path: string, stats: Stats, options: StateFileOptions): void {
  const why = refusal(path, stats, options);
  if (why !== null) throw new MgrError("conflict", why);
}

function refusal(path: string, stats: Stats, { rootReadsAll = false }: StateFileOptions): string | null {
  const remove = quoteWords(["rm", path]);
  if (!stats.isFile()) return `${path} is ${kindOf(stats)} (${ownerAndMode(stats)}), not a regular file. Remove it: ${remove}`;
  const isOurs = isTrustedOwner(stats.uid) || (rootReadsAll && process.geteuid?.() === 0);
  if (!isOurs) return `${path} belongs to another user (${ownerAndMode(stats)}), who can change it. Remove it: ${remove}`;
  if ((stats.mode & FOREIGN_WRITE) === 0) return null;
  return `${path} can be written by other users (${ownerAndMode(stats)}). Check what is in it, then run: ${quoteWords(["chmod", "go-w", path])}`;
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isDirectory() ? "a folder" : "a device";
}

function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null; // The error of opening the file says why.
  }
}
