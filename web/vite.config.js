import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const root = dirname(fileURLToPath(import.meta.url));
/** The oldest browsers that the README names: what they do not know is rewritten, or the build fails. */
const OLDEST_BROWSERS = ["chrome114", "edge114", "firefox125", "safari17"];
const EARLY = "open-first-socket";

/** The script that opens the connection does not wait for the style sheet and for the other code. */
const earlyScript = {
  name: "early-script",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(html) {
      const tag = `<script type="module" crossorigin src="/assets/${EARLY}-`;
      if (!html.includes(tag)) throw new Error(`the page does not load ${EARLY} by a tag of its own: adapt web/vite.config.js`);
      return html.replace(tag, tag.replace("crossorigin", "async crossorigin"));
    },
  },
};

export default defineConfig({
  root,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [earlyScript],
  // The package's default for browsers is ES5, with a library of helpers.
  resolve: { alias: [{ find: /^rxjs$/, replacement: join(root, "../node_modules/rxjs/dist/esm/index.js") }] },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsDir: "assets",
    target: OLDEST_BROWSERS,
    sourcemap: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: EARLY, test: /\/web\/src\/early\//, priority: 1 },
            // What the first view needs is one file, and nothing else is in it.
            { name: "first", tags: ["$initial"] },
          ],
        },
      },
    },
  },
});
