import { lstat, readlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Maximum number of links, as in the kernel. */
const MAX_LINKS = 40;

/** The symbolic links on `path`, and those on the paths of their targets. */
export async function linksOnPath(path: string, found = new Set<string>()): Promise<ReadonlySet<string>> {
  let here = "/";
  for (const segment of path.split("/")) {
    here = join(here, segment);
    const stats = await lstat(here).catch(() => null);
    if (stats === null || found.size >= MAX_LINKS) break;
    if (!stats.isSymbolicLink() || found.has(here)) continue;
    found.add(here);
    const target = await readlink(here).catch(() => null);
    if (target !== null) await linksOnPath(resolve(dirname(here), target), found);
  }
  return found;
}
