import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The steps of a write, so that a test can make any of them fail. */
export type FileSystem = Pick<typeof fs, "open" | "rename" | "rm">;

/**
 * Replaces `path` by `content`, durably and as a whole: after a crash at any moment it has its old or its new content.
 * Mode 0600. For one writer at a time.
 */
export async function writeFileAtomically(path: string, content: string, fileSystem: FileSystem = fs): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.new`);
  const file = await create(temporary, fileSystem);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    // On a full disk it would keep occupying its space.
    await Promise.all([file.close(), fileSystem.rm(temporary, { force: true })]);
    throw error;
  }
  await Promise.all([file.close(), fileSystem.rename(temporary, path)]);
  const folder = await fileSystem.open(dirname(path), "r");
  try {
    await folder.sync(); // The rename itself must outlive a power cut.
  } finally {
    await folder.close();
  }
}

/** Removes what is there only if something is: a restart of a process waits for each of these steps. */
async function create(path: string, fileSystem: FileSystem): Promise<fs.FileHandle> {
  try {
    return await fileSystem.open(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // Left by a crash, or created by another program: never written through.
  await fileSystem.rm(path, { force: true });
  return fileSystem.open(path, "wx", 0o600);
}
