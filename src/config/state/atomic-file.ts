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
  await fileSystem.rm(temporary, { force: true }); // Left by a crash, or created by another program: never written through.
  const file = await fileSystem.open(temporary, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    // On a full disk it would keep occupying its space.
    await fileSystem.rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, path);
  const folder = await fileSystem.open(dirname(path), "r");
  try {
    await folder.sync(); // The rename itself must outlive a power cut.
  } finally {
    await folder.close();
  }
}
