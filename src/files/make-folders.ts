import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/*
 * `mkdir` of Node with `recursive: true` never ends where a file system answers ENOENT although the parent exists, as /proc and the folders of an
 * automounter do: it makes the parent again and again, at full load (seen in Node 20).
 */

/** Creates a folder with those above it; resolves with whether it is new. Rejects as `mkdir` does. */
export async function makeFolders(path: string, mode: number): Promise<boolean> {
  if (await isFolder(path)) return false;
  const parent = dirname(path);
  if (parent !== path) await makeFolders(parent, mode);
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && (await isFolder(path))) return false;
    throw error;
  }
}

/** The same, synchronously. */
export function makeFoldersSync(path: string, mode: number): boolean {
  if (isFolderSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) makeFoldersSync(parent, mode);
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && isFolderSync(path)) return false;
    throw error;
  }
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // `mkdir` says what is wrong.
    return false;
  }
}
