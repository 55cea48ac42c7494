// Builds everything that runs into dist/: the program (tsc), the host daemon (one bundled file), the page (vite).
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { buildDaemon } from "./build-daemon.js";
import { compressAssets } from "./compress-assets.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
await buildDaemon(join(root, "dist/daemon.mjs"));
await build({ configFile: join(root, "web/vite.config.js"), logLevel: "warn" });
compressAssets(join(root, "dist/web"));
