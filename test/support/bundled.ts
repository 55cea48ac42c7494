import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BUNDLER = fileURLToPath(new URL("../../scripts/build/fixture.js", import.meta.url));
const run = promisify(execFile);
const files = new Map<string, Promise<string>>();

/**
 * The file that a program (a path from the root of the package) is bundled to, with all that it imports. Node starts it with a fifth of the
 * processor time that tsx takes for the sources.
 */
export function bundled(program: string): Promise<string> {
  const known = files.get(program);
  if (known !== undefined) return known;
  const file = run(process.execPath, [BUNDLER, program]).then(({ stdout }) => stdout.trim());
  files.set(program, file);
  return file;
}
