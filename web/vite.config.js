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
  },
});
