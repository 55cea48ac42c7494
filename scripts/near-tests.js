// Runs the unit tests that are nearest to files by imports: `node scripts/near-tests.js FILE…`, or without files, to those that git shows as
// changed. `vitest related` transforms every test to find out what it imports (docs/decisions/0101).
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const FOLDERS = ["src", "web/src", "test"];
const IMPORT = /(?:from|import) ?\(?"(\.[^"]+)"/g;
/** Runs nothing of the file: `npm run typecheck` checks it. */
const TYPES_ONLY = /^(?:import|export) type [^;"]*"\.[^"]+";$/gm;
const UNIT_TEST = /^test\/(?!e2e\/).*\.test\.ts$/;
/** More test files than this take longer than a developer waits; those in the folder of the same name come first. */
const MAX_TEST_FILES = 6;
/** Each loads what the tests import, which takes longer than most tests: with one for each file, up to a quarter more processor time. */
const MAX_WORKERS = "2";

/** Which files import a file, by its path from the root; without types, those that import more of it than types. */
export function readImporters({ types = true } = {}) {
  const importers = new Map();
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  for (const file of files.filter((each) => /\.tsx?$/.test(each))) {
    const text = readFileSync(join(ROOT, file), "utf8");
    for (const [, specifier] of (types ? text : text.replaceAll(TYPES_ONLY, "")).matchAll(IMPORT)) {
      const imported = join(dirname(file), specifier);
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}

/** The unit tests that import a file through the fewest others; a test is nearest to itself. */
export function nearestTests(file, importers) {
  const seen = new Set([file]);
  for (let level = [file]; level.length > 0; ) {
    const tests = level.filter((each) => UNIT_TEST.test(each));
    if (tests.length > 0) return tests;
    level = [...new Set(level.flatMap((each) => importers.get(each) ?? []))].filter((each) => !seen.has(each));
    for (const each of level) seen.add(each);
  }
  return [];
}

/** How many folders a test shares with what it tests. */
function closeness(test, file) {
  const [own, other] = [
    dirname(test).split("/").slice(1),
    dirname(file)
      .replace(/^web\/src/, "src/web")
      .split("/")
      .slice(1),
  ];
  const differs = own.findIndex((folder, index) => folder !== other[index]);
  return differs === -1 ? own.length : differs;
}

function changedFiles() {
  const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
  return [...git("diff", "--name-only", "--diff-filter=d", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2).map((file) => relative(ROOT, resolve(file)));
  const importers = readImporters({ types: false });
  const tests = new Set();
  for (const file of named.length > 0 ? named : changedFiles()) {
    const running = nearestTests(file, importers);
    // A file of types alone is imported for nothing else.
    const tested = running.length > 0 ? running : nearestTests(file, readImporters());
    const nearest = tested.toSorted((a, b) => closeness(b, file) - closeness(a, file));
    for (const test of nearest.slice(0, MAX_TEST_FILES)) tests.add(test);
    if (nearest.length > MAX_TEST_FILES) console.log(`${file}: ${MAX_TEST_FILES} of ${nearest.length} test files; 'npm run unit' runs all`);
  }
  if (tests.size === 0) console.log("No unit test imports what has changed.");
  else {
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit*", ...tests];
    // The projects of vitest.config.ts do not follow `--maxWorkers`.
    const env = { VITEST_MAX_WORKERS: MAX_WORKERS, ...process.env };
    process.exitCode = spawnSync(process.execPath, vitest, { cwd: ROOT, stdio: "inherit", env }).status ?? 1;
  }
}
