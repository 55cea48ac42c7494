// Runs a command where no program on the PATH is a compiler, make or Python: node scripts/checks/without-compilers.js COMMAND [ARGUMENT …]
// What it calls are links in a folder of its own, which is removed when the command has ended.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** Compilers and what drives them, also under a prefix (x86_64-linux-gnu-gcc) or with a version (gcc-12, python3.11). */
const COMPILERS = /^(.*-)?(cc|c\+\+|gcc|g\+\+|c89|c99|cpp|clang(\+\+)?|ld|as|make|gmake|cmake|ninja|node-gyp|python)([-.\d].*)?$/;

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error("without-compilers: which command? node scripts/checks/without-compilers.js COMMAND [ARGUMENT …]");
  process.exit(2);
}
const programs = mkdtempSync(join(tmpdir(), "without-compilers-"));
try {
  for (const folder of [dirname(process.execPath), ...(process.env.PATH ?? "").split(delimiter)]) link(folder);
  const { status, error } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, PATH: programs } });
  if (error !== undefined) console.error(`without-compilers: '${command}' could not be started: ${error.message}`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(programs, { recursive: true, force: true });
}

/** Links every program of a folder except compilers. */
function link(folder) {
  for (const name of namesIn(folder)) {
    if (COMPILERS.test(name)) continue;
    try {
      symlinkSync(join(folder, name), join(programs, name));
    } catch (error) {
      // The folder that comes first on the PATH wins.
      if (error.code !== "EEXIST") throw error;
    }
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return []; // A PATH may name folders that do not exist.
  }
}
