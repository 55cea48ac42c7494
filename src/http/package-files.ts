import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Finds the root of the package: this file is at different depths of it as source, compiled for imports, and bundled for the command line. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("mgr cannot find its package.json. Install mgr again.");
    folder = parent;
  }
  return folder;
}

const root = packageRoot();

/** Absolute path of a file of this package. */
export const packageFile = (path: string): string => join(root, path);

const manifest = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };

/** Version of this program. */
export const VERSION = manifest.version;
