import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The oldest browsers that the README names: what they do not know is rewritten, or the build fails. */
const OLDEST_BROWSERS = ["chrome114", "edge114", "firefox125", "safari17"];

export default defineConfig({
  root: dirname(fileURLToPath(import.meta.url)),
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsDir: "assets",
    target: OLDEST_BROWSERS,
    sourcemap: false,
    chunkSizeWarningLimit: 600,
    // What the first view shares with those that are loaded later is one file, not a dozen.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: "shared",
              test: /node_modules\/(preact|@preact|rxjs|tslib)\/|web\/src\/(actions|app|state)\/|web\/src\/ui\/(?!list\/)|\/src\/(base|client|protocol)\//,
            },
          ],
        },
      },
    },
  },
});
