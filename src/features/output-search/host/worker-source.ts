import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The bundled `worker` of this folder, below the root of the package. */
const BUNDLE = "dist/output-search.cjs";

/**
 * The program of the worker thread, as CommonJS. The daemon's file contains it as text instead of this module (scripts/build/bundle.js), so that an
 * installation below a running daemon cannot hurt it.
 */
export function workerSource(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, BUNDLE))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`mgr cannot find its file ${BUNDLE}. Install mgr again`);
    folder = parent;
  }
  return readFileSync(join(folder, BUNDLE), "utf8");
}
