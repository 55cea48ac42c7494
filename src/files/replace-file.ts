import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The steps of a write, so that a test can make any of them fail. */
export type FileSystem = Pick<typeof fs, "open" | "rename" | "rm">;
/** Identity of a written file, by which it is checked whether its path still leads to it. */
export type WrittenFile = Pick<Stats, "dev" | "ino" | "size">;

/**
 * Replaces `path` by `content`, durably and as a whole: after a crash at any moment it has its old or its new content.
 * Mode 0600. For one writer at a time.
 */
export async function writeFileAtomically(path: string, content: string, fileSystem: FileSystem = fs): Promise<WrittenFile> {
  const temporary = temporaryPath(path);
  const file = await createFile(temporary, constants.O_WRONLY, fileSystem);
  let written: WrittenFile;
  try {
    await file.writeFile(content);
    [written] = await Promise.all([file.stat(), file.sync()]);
  } catch (error) {
    // On a full disk the temporary file would keep occupying its space.
    await Promise.all([file.close(), fileSystem.rm(temporary, { force: true })]);
    throw error;
  }
  await Promise.all([file.close(), moveIntoPlace(path, fileSystem)]);
  return written;
}

/** Path at which the new content of `path` is written. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.new`);
}

/** Renames the file that was written at the temporary path, and was synced, to `path`. */
export async function moveIntoPlace(path: string, fileSystem: FileSystem): Promise<void> {
  await fileSystem.rename(temporaryPath(path), path);
  const folder = await fileSystem.open(dirname(path), "r");
  try {
    await folder.sync(); // The rename itself must outlive a power cut.
  } finally {
    await folder.close();
  }
}

/** Creates a file (mode 0600). Removes an existing one only if there is one: a restart of a process may wait for each of these steps. */
export async function createFile(path: string, access: number, fileSystem: FileSystem): Promise<fs.FileHandle> {
  const flags = access | constants.O_CREAT | constants.O_EXCL;
  try {
    return await fileSystem.open(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // The existing file was left by a crash, or created by another program: it is never written to.
  await fileSystem.rm(path, { force: true });
  return fileSystem.open(path, flags, 0o600);
}

/**
 * Replaces a small file synchronously, without waiting for other work of this thread. `isDurable`: after a power cut it has its old or its new
 * content, too.
 */
export function replaceFileSync(path: string, content: string, { isDurable }: { isDurable: boolean }): void {
  const temporary = temporaryPath(path);
  rmSync(temporary, { force: true });
  const fd = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(fd, content);
    if (isDurable) fsyncSync(fd);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
}
