// Bundles the host daemon into one file, so that an `npm ci` below a running daemon cannot hurt it
// (docs/design/runtime-invariants.md, "Upgrade"). Only koffi and node-pty stay outside: native files, loaded at start; a loaded one stays
// mapped when its file is removed.
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Writes `outFile` (an ES module, node_modules with koffi and node-pty beside or above it). */
export async function buildDaemon(outFile) {
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    build: {
      ssr: join(root, "src/daemon/main.ts"),
      outDir: dirname(outFile),
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rolldownOptions: { output: { entryFileNames: basename(outFile), format: "esm", codeSplitting: false } },
    },
    ssr: { noExternal: true, external: ["koffi", "node-pty"], target: "node" },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDaemon(join(root, "dist/daemon.mjs"));
