import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesWith, uniqueSeconds, until } from "../../support/processes.ts";
import { exampleOf } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const CONSUMER = fileURLToPath(new URL("../consumer", import.meta.url));
const run = promisify(execFile);

let project: string;

/** The prefix of a global installation. */
let everywhere: string;

// npm installs the packed files and what they depend on globally. In a project it would put the same packages side by side, so they are linked there
// instead of being installed twice.
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "mgr-package-"));
  everywhere = join(project, "everywhere");
  const modules = join(project, "node_modules");
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", project], { cwd: REPOSITORY });
  const options = { prefix: everywhere, prefer_offline: "true", audit: "false", fund: "false", ignore_scripts: "true", loglevel: "error" };
  const env = Object.fromEntries(Object.entries(options).map(([name, value]) => [`npm_config_${name}`, value]));
  await run("sh", ["-euc", exampleOf("docs/install.md", "npm package", "sh")], { cwd: project, env: { ...process.env, ...env } });
  await run("cp", ["--archive", "--link", join(everywhere, "lib/node_modules/mgr/node_modules"), modules]);
  await run("cp", ["--archive", "--link", join(everywhere, "lib/node_modules/mgr"), modules]);
  rmSync(join(modules, "mgr/node_modules"), { recursive: true });
  for (const name of ["@types/node", "undici-types", "vitest"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(REPOSITORY, "node_modules", name), join(modules, name));
  }
  cpSync(CONSUMER, project, { recursive: true });
  cpSync(join(REPOSITORY, "examples/testing"), join(project, "testing"), { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const compilerOptions = {
    target: "es2022",
    lib: ["es2023", "esnext.disposable", "dom"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    outDir: "out",
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
}, 900_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What the compiler complains about. */
const tsc = async (...args: string[]) => {
  const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
  const ended = await run(process.execPath, [compiler, "--checkers", "1", ...args], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  return ended.stdout;
};

/** Runs test files of the project under vitest; the summary, and what they printed. */
const vitest = (root: string, ...args: string[]) => {
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--root", root, "--no-color", ...args], {
    cwd: project,
    env: { ...process.env, VITEST: undefined, NODE_ENV: undefined, CI: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output }));
  return { child, ended, printed: () => output };
};

describe("the packed package, installed in a project of its own", () => {
  it("contains the program, its types and its page, and no tests", () => {
    const files = readdirSync(join(project, "node_modules/mgr"), { recursive: true, encoding: "utf8" });
    expect(files).toEqual(
      expect.arrayContaining([
        "dist/app/index.d.ts",
        "dist/client/browser.js",
        "dist/daemon.cjs",
        "dist/sample-writer.mjs",
        "dist/web/index.html",
      ]),
    );
    expect(files.filter((file) => /^(test|src|bench|web)\//.test(file))).toEqual([]);
  });

  it("is a command when it is installed globally: up, a process, down", async () => {
    await using instance = new Instance({ processes: { greeter: { command: "echo hello; exec sleep 1000", autostart: true } } });
    const mgr = (...args: string[]) => run(join(everywhere, "bin/mgr"), [...args, "-c", instance.config], { env: instance.environment });
    await mgr("up", "--detach");
    await mgr("wait", "greeter", "--for", "started");
    expect((await mgr("down")).stdout).toContain("e2e is down");
  });

  it("has types that compile in a strict project, with its own declarations checked as well", async () => {
    expect(await tsc("-p", ".")).toBe("");
  });

  it("has types for bundlers, and for exactOptionalPropertyTypes", async () => {
    // Declarations of others do not bear the latter.
    const strictest = ["--exactOptionalPropertyTypes", "--verbatimModuleSyntax", "--isolatedModules", "--skipLibCheck"];
    expect(await tsc("-p", ".", "--noEmit", ...strictest)).toBe("");
    const bundler = ["--module", "esnext", "--moduleResolution", "bundler", "--customConditions", "browser"];
    expect(await tsc("-p", ".", "--noEmit", ...bundler, ...strictest)).toBe("");
  });

  it("runs compiled programs: embedded, remote, and simulated", async () => {
    const { stdout, stderr } = await run(process.execPath, ["out/main.js"], { cwd: project, timeout: 240_000 });
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toEqual([
      "true 3 listening true",
      "200 true g/api",
      "g/db: starting",
      "g/api: waiting",
      "   1.005 s  g/api  starting → started",
      "not_found",
    ]);
  });

  it("runs the example suites of vitest and node:test", async () => {
    const vitestSuite = await vitest("testing", "--testTimeout=240000", "--hookTimeout=240000").ended;
    expect(vitestSuite, vitestSuite.output).toMatchObject({ code: 0, output: expect.stringMatching(/Tests\s+5 passed \(5\)/) });
    const { stdout } = await run(process.execPath, ["--test", "system.node.test.js"], { cwd: join(project, "testing") });
    expect(stdout).toMatch(/# pass 4\n# fail 0/);
  }, 600_000);

  it("runs 50 tests at once, and leaves none of their processes and files", async () => {
    const seconds = uniqueSeconds();
    const temporary = join(project, "tmp");
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary);
    writeFileSync(join(project, "parallel/seconds.json"), JSON.stringify({ seconds, temporary }));
    const { code, output } = await vitest("parallel", "fifty").ended;
    expect(code, output).toBe(0);
    expect(output).toMatch(/Tests\s+50 passed \(50\)/);
    expect(processesWith(seconds)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  }, 480_000);

  it("leaves nothing when the runner's worker is killed during a test", async () => {
    const seconds = uniqueSeconds();
    writeFileSync(join(project, "parallel/seconds.json"), JSON.stringify({ seconds, temporary: join(project, "tmp") }));
    const { ended, printed } = vitest("parallel", "killed");
    await until(() => /worker (\d+) runs/.test(printed()), 120_000, printed);
    await until(() => processesWith(seconds).length >= 3, 60_000, printed);
    process.kill(Number(/worker (\d+) runs/.exec(printed())?.[1]), "SIGKILL");
    await until(
      () => processesWith(seconds).length === 0,
      60_000,
      () => processesWith(seconds),
    );
    expect((await ended).code).not.toBe(0);
  }, 480_000);
});
