// Bundles the command line, the host daemon and the writer of downloads. Only koffi and node-pty stay outside: they are native files.
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * Writes `outFile` (an ES module, node_modules with koffi and node-pty beside or above it): one file, so that an `npm ci` below a running
 * daemon cannot hurt it (docs/design/runtime-invariants.md, "Upgrade"). A native file that is loaded stays mapped when it is removed.
 */
export function buildDaemon(outFile) {
  return bundle("src/daemon/main.ts", dirname(outFile), { entryFileNames: basename(outFile), codeSplitting: false });
}

/** Writes the program of the worker thread that writes downloads: one file, which is not loaded before the first download. */
export function buildSampleWriter(outFile) {
  return bundle("src/recording/worker/main.ts", dirname(outFile), { entryFileNames: basename(outFile), codeSplitting: false });
}

/**
 * Writes `mgr.js` and what it loads later into `folder`. A command starts in half of the time that Node needs for some hundred single
 * files; the manager's part is a file of its own, which only `mgr up` loads.
 */
export function buildProgram(folder) {
  return bundle("src/cli/main.ts", folder, { entryFileNames: "mgr.js", chunkFileNames: "[name]-[hash].js" });
}

async function bundle(entry, outDir, output) {
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    // Under Node's conditions rxjs is one CommonJS library of 400 kB; its ES modules leave only what is used.
    resolve: { alias: [{ find: /^rxjs$/, replacement: join(root, "node_modules/rxjs/dist/esm/index.js") }] },
    build: {
      ssr: join(root, entry),
      outDir,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rolldownOptions: { output: { format: "esm", ...output } },
    },
    ssr: { noExternal: true, external: ["koffi", "node-pty"], target: "node" },
  });
}
