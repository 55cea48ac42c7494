// Builds everything that runs into dist/: the library (tsc), the program and the host daemon (bundles), the page (vite).
// With `--changed` only what changed since it was built; with `--unchecked` without checking types, for the whole check, which checks them beside.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { buildDaemon, buildHostWorkers, buildProgram, buildQuickNames, buildSampleWriter, QUICK_NAMES, SAMPLE_WRITER } from "./bundle.js";
import { compressAssets } from "./compress-assets.js";
import { hashOf } from "./input-hash.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
process.chdir(root);

/** Hashes of what each part was built from. */
const STAMPS = "dist/.built.json";
const COMMON = ["package-lock.json", "scripts/build"];
const PARTS = [
  {
    name: "manager",
    inputs: ["src", "tsconfig.json", "tsconfig.build.json", ...COMMON],
    output: "dist/program/mgr.cjs",
    make: makeManager,
  },
  {
    name: "page",
    inputs: ["web", "src/base", "src/protocol", "src/client", "src/features", ...COMMON],
    output: "dist/web/index.html",
    make: makePage,
  },
];

const onlyChanged = process.argv.includes("--changed");
/** Checking takes more than half of the compiler's time. */
const unchecked = process.argv.includes("--unchecked") ? ["--noCheck"] : [];
if (!onlyChanged) rmSync("dist", { recursive: true, force: true });
const stamps = existsSync(STAMPS) ? JSON.parse(readFileSync(STAMPS, "utf8")) : {};
for (const { name, inputs, output, make } of PARTS) {
  const hash = hashOf(inputs);
  if (stamps[name] === hash && existsSync(output)) continue;
  if (onlyChanged) console.log(`Building the ${name} …`);
  await make();
  stamps[name] = hash;
  writeFileSync(STAMPS, JSON.stringify(stamps));
}

async function makeManager() {
  const kept = new Set(["web", ".built.json"]);
  for (const entry of existsSync("dist") ? readdirSync("dist") : []) if (!kept.has(entry)) rmSync(join("dist", entry), { recursive: true });
  // Several checkers repeat each other's work: one takes half of the processor time.
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--checkers", "1", ...unchecked];
  execFileSync(process.execPath, tsc, { stdio: "inherit" });
  // The library does not use the command line; the program is bundled from the sources.
  const features = readdirSync("dist/features", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const commandLine = ["cli", "launch", "features/cli.js", "features/cli.d.ts", ...features.map(({ name }) => `features/${name}/cli`)];
  for (const path of commandLine) rmSync(join("dist", path), { recursive: true, force: true });
  await buildProgram(join(root, "dist/program"));
  await buildDaemon(join(root, "dist"));
  if (existsSync(QUICK_NAMES)) await buildQuickNames(join(root, "dist/program"));
  if (existsSync(SAMPLE_WRITER)) await buildSampleWriter(join(root, "dist/sample-writer.mjs"));
  await buildHostWorkers(join(root, "dist"));
}

async function makePage() {
  await build({ configFile: join(root, "web/vite.config.js"), logLevel: "warn" });
  compressAssets(join(root, "dist/web"));
}
