// Builds everything that runs into dist/: the library (tsc), the program and the host daemon (bundles), the page (vite).
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { buildDaemon, buildProgram } from "./bundle.js";
import { compressAssets } from "./compress-assets.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
process.chdir(root);

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
// The library does not use the command line; the program is bundled from the sources.
rmSync("dist/cli", { recursive: true });
await buildProgram(join(root, "dist/program"));
await buildDaemon(join(root, "dist/daemon.mjs"));
await build({ configFile: join(root, "web/vite.config.js"), logLevel: "warn" });
compressAssets(join(root, "dist/web"));
