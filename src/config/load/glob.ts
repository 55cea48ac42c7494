import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import picomatch from "picomatch";
import { MgrError, messageOf } from "../../base/errors.ts";

/** Maximum number of folder entries that one glob may read: a `**` in the wrong place must not read a whole disk. */
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 20;

/**
 * Absolute paths of the files that `pattern` (relative to `dir`, or absolute) matches, in the order of their names.
 * A pattern without wildcards is that one path, whether it exists or not. Files and folders whose names begin with a
 * dot only match where the pattern has the dot, and links to folders are not followed. Throws `bad_field`; its message is a
 * sentence without a subject.
 */
export async function filesMatching(pattern: string, dir: string): Promise<string[]> {
  const { base, glob, isGlob } = picomatch.scan(pattern);
  if (!isGlob) return [resolve(dir, pattern)];
  const matches = picomatch(glob);
  const root = resolve(dir, base);
  const depth = glob.includes("**") ? MAX_DEPTH : glob.split("/").length - 1;
  const found: string[] = [];
  let seen = 0;
  const walk = async (below: string, level: number): Promise<void> => {
    const entries = await entriesOf(join(root, below));
    seen += entries.length;
    if (seen > MAX_ENTRIES) throw new MgrError("bad_field", `searches more than ${MAX_ENTRIES} files; use a more specific folder`);
    for (const entry of entries) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (level < depth) await walk(path, level + 1);
      } else if (matches(path)) found.push(join(root, path));
    }
  };
  await walk("", 0);
  return found.sort();
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw new MgrError("bad_field", `cannot read the folder ${folder}: ${messageOf(error)}`, { cause: error });
  }
}
