import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
/** What `npm ci && npm run build` needs of a checkout. */
const SOURCES = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "bin", "docs", "scripts", "src", "web"];
/** Compilers and what drives them, also under a prefix (x86_64-linux-gnu-gcc) or with a version (gcc-12, python3.11). */
const COMPILERS = /^(.*-)?(cc|c\+\+|gcc|g\+\+|c89|c99|cpp|clang(\+\+)?|ld|as|make|gmake|cmake|ninja|node-gyp|python)([-.\d].*)?$/;
const run = promisify(execFile);

/** A folder with links to every program on the PATH except compilers, make and Python. */
function withoutCompilers(parent: string): string {
  const folder = join(parent, "programs");
  mkdirSync(folder);
  for (const from of [dirname(process.execPath), ...(process.env.PATH ?? "").split(delimiter)]) {
    for (const name of namesIn(from)) {
      if (COMPILERS.test(name)) continue;
      try {
        symlinkSync(join(from, name), join(folder, name));
      } catch (error) {
        // The folder that comes first on the PATH wins.
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  }
  return folder;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // A PATH may name folders that do not exist.
  }
}

test("a checkout is installed, built and started without a compiler, make and Python, and without warnings", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-fresh-"));
  try {
    const checkout = join(folder, "checkout");
    for (const name of SOURCES) cpSync(join(REPOSITORY, name), join(checkout, name), { recursive: true });
    const PATH = withoutCompilers(folder);
    for (const name of ["cc", "g++", "make", "python3"]) expect(namesIn(PATH)).not.toContain(name);
    const options = { cwd: checkout, env: { ...process.env, PATH }, maxBuffer: 16 * 1024 * 1024 };

    const installed = await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], options);
    expect(installed.stderr).not.toMatch(/EBADENGINE|allowScripts/);
    await run("npm", ["run", "build"], options);

    await using instance = new Instance({
      processes: { greeter: { command: "echo hello; exec sleep 1000", ready: { regex: "hello" }, autostart: true } },
    });
    const mgr = (command: string, ...args: string[]) =>
      run(process.execPath, [join(checkout, "bin/mgr.js"), command, "-c", instance.config, ...args], {
        cwd: instance.dir,
        env: { ...instance.environment, PATH },
      });
    await mgr("up", "--detach");
    await mgr("wait", "greeter");
    expect((await mgr("logs", "greeter")).stdout).toContain("hello");
    await mgr("down");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
