import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MgrError, messageOf } from "../base/errors.ts";

/** Largest text that fits in a frame, bytes. */
const MAX_TEXT_BYTES = 1_048_576;

export interface EditableText {
  readonly content: string;
  readonly hash: string;
}

/** Reads the text of a file for editing. Throws `not_found`, `forbidden` or `too_large`. */
export async function readEditable(path: string): Promise<EditableText> {
  const file = await opened(path, constants.O_RDONLY);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new MgrError("forbidden", `${path} is not a regular file`);
    if (stats.size > MAX_TEXT_BYTES) throw new MgrError("too_large", `${path} is larger than ${MAX_TEXT_BYTES} bytes; edit it on its host`);
    const bytes = await file.readFile();
    try {
      return { content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), hash: hashOf(bytes) };
    } catch (cause) {
      throw new MgrError("conflict", `${path} is not UTF-8; fix it on its host`, { cause });
    }
  } finally {
    await file.close();
  }
}

/** Size in bytes, and whether `replaceFile` would be allowed; null if the file cannot be examined. */
export async function fileFacts(path: string): Promise<{ size: number; writable: boolean } | null> {
  const stats = await fs.lstat(path).catch(() => null);
  if (stats === null) return null;
  const target = stats.isSymbolicLink() ? await fs.stat(path).catch(() => null) : stats;
  // A file is replaced by a new one beside it.
  const may = await Promise.all([fs.access(path, constants.W_OK), fs.access(dirname(path), constants.W_OK)]).then(
    () => true,
    () => false,
  );
  return { size: target?.size ?? 0, writable: may && stats.isFile() };
}

/**
 * Replaces the whole file durably: after a crash it has its old or its new text. Mode and owner stay. A link is refused,
 * not followed. With `base`, the hash of the text that was edited, another text on the disk is a `conflict`.
 */
export async function replaceFile(path: string, content: string, base: string | undefined): Promise<EditableText> {
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_TEXT_BYTES) throw new MgrError("too_large", `the text is larger than ${MAX_TEXT_BYTES} bytes`);
  const before = await statOf(path);
  await checkBase(path, base);
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.new`);
  try {
    await writeLike(temporary, bytes, before);
    // A concurrent change by another program must not be lost.
    const now = await statOf(path);
    if (now.ino !== before.ino || now.mtimeMs !== before.mtimeMs) throw changed(path);
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    if (error instanceof MgrError) throw error;
    throw new MgrError("forbidden", `${path} cannot be written: ${messageOf(error)}`, { cause: error });
  }
  await syncFolder(dirname(path));
  return { content, hash: hashOf(bytes) };
}

async function writeLike(path: string, bytes: Buffer, like: Stats): Promise<void> {
  const file = await fs.open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    const own = await file.stat();
    if (own.uid !== like.uid || own.gid !== like.gid) await file.chown(like.uid, like.gid);
    await file.chmod(like.mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function checkBase(path: string, base: string | undefined): Promise<void> {
  if (base !== undefined && (await readEditable(path)).hash !== base) throw changed(path);
}

function changed(path: string): MgrError {
  return new MgrError("conflict", `${path} was changed by another user or program; load it again`);
}

async function statOf(path: string): Promise<Stats> {
  const stats = await fs.lstat(path).catch((cause: unknown) => {
    throw new MgrError("not_found", `${path} cannot be found: ${messageOf(cause)}`, { cause });
  });
  if (stats.isSymbolicLink()) throw new MgrError("forbidden", `${path} is a symbolic link; edit its target on its host`);
  if (!stats.isFile()) throw new MgrError("forbidden", `${path} is not a regular file`);
  return stats;
}

async function opened(path: string, flags: number): Promise<fs.FileHandle> {
  try {
    // Non-blocking: the path may be a named pipe.
    return await fs.open(path, flags | constants.O_NONBLOCK);
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    throw new MgrError(isMissing ? "not_found" : "forbidden", `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await fs.open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The hash that identifies the text of a file. */
export function hashOf(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
