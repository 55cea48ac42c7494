import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The text of a program of a worker thread that the build has bundled, such as `dist/output-search.cjs`; found from this module upwards. The daemon's
 * file contains the text itself (scripts/build/bundle.js), so that an installation below a running daemon cannot hurt it.
 */
export function bundledProgram(file: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, file))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`mgr cannot find its file ${file}. Install mgr again`);
    folder = parent;
  }
  return readFileSync(join(folder, file), "utf8");
}
