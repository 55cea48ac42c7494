import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Hash of the names and contents of files, and of all files in folders. */
export function hashOf(inputs) {
  const hash = createHash("sha256");
  const add = (path) => {
    if (statSync(path).isDirectory()) for (const entry of readdirSync(path).sort()) add(join(path, entry));
    else hash.update(`${path}\0`).update(readFileSync(path)).update("\0");
  };
  for (const input of inputs) add(input);
  return hash.digest("hex");
}
