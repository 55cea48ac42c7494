// Bundles a program of the tests, for test/support/bundled.ts, and prints the path of the result.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { buildFixture } from "./bundle.js";

const [program = ""] = process.argv.slice(2);
// Below node_modules, where the native files are found.
const folder = join(import.meta.dirname, "../../node_modules/.cache/mgr-fixtures");
mkdirSync(folder, { recursive: true });
const file = `${basename(program, ".ts")}.mjs`;
// Put in its place when it is complete: another file of tests may just start the same program.
const own = mkdtempSync(join(folder, "new-"));
await buildFixture(program, own, file);
renameSync(join(own, file), join(folder, file));
rmSync(own, { recursive: true });
console.log(join(folder, file));
