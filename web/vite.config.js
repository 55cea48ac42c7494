import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, defineConfig } from "vite";

const root = dirname(fileURLToPath(import.meta.url));
/** The oldest browsers that the README names: what they do not know is rewritten, or the build fails. */
const OLDEST_BROWSERS = ["chrome114", "edge114", "firefox125", "safari17"];
/** A script that the page contains, so that it runs while the browser loads the files of the page. It is compiled by itself and imports nothing. */
const inlineScript = {
  name: "inline-script",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    async handler(html) {
      const [{ output }] = await build({
        configFile: false,
        root,
        logLevel: "warn",
        build: {
          write: false,
          target: OLDEST_BROWSERS,
          lib: { entry: "src/early/open-first-socket.ts", formats: ["iife"], name: "early" },
        },
      });
      const [{ code }] = output;
      // The manager allows this script by its hash (src/http/routes/assets.ts).
      return html.replace(/<meta charset[^>]*>/, (charset) => `${charset}\n    <script>${code.trim()}</script>`);
    },
  },
};

export default defineConfig({
  root,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [inlineScript],
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
          // What the first view needs is one file, and nothing else is in it.
          groups: [{ name: "first", tags: ["$initial"] }],
        },
      },
    },
  },
});
