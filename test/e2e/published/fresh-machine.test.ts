import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
/** What a checkout needs to be installed and to run. `dist` is built without compilers as well, by scripts/test.sh. */
const PARTS = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "bin", "docs", "scripts", "src", "web", "dist"];
const WITHOUT_COMPILERS = join(REPOSITORY, "scripts/checks/without-compilers.js");
const run = promisify(execFile);

test("a checkout is installed and started without a compiler, make and Python, and without warnings", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-fresh-"));
  try {
    const checkout = join(folder, "checkout");
    for (const name of PARTS) cpSync(join(REPOSITORY, name), join(checkout, name), { recursive: true });
    const options = { cwd: checkout, maxBuffer: 16 * 1024 * 1024 };
    const bare = (...command: string[]) => run(process.execPath, [WITHOUT_COMPILERS, ...command], options);
    for (const name of ["cc", "g++", "make", "python3"]) {
      const found = await bare("sh", "-c", `command -v ${name}`).catch((error: { stdout: string }) => error);
      expect(found.stdout, name).toBe("");
    }

    const installed = await bare("npm", "ci", "--prefer-offline", "--no-audit", "--no-fund");
    expect(installed.stderr).not.toMatch(/EBADENGINE|allowScripts/);
    // As `npm start` does: nothing has changed since it was built.
    expect((await bare("node", "scripts/build/build.js", "--changed")).stdout).toBe("");

    await using instance = new Instance({
      processes: { greeter: { command: "echo hello; exec sleep 1000", ready: { regex: "hello" }, autostart: true } },
    });
    const mgr = `mgr() { command=$1; shift; node '${join(checkout, "bin/mgr.js")}' "$command" -c '${instance.config}' "$@"; }`;
    const used = await run(
      process.execPath,
      [WITHOUT_COMPILERS, "sh", "-ec", `${mgr}\nmgr up --detach; mgr wait greeter; mgr logs greeter; mgr down`],
      {
        cwd: instance.dir,
        env: instance.environment,
      },
    );
    expect(used.stdout).toContain("hello");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 900_000);
