// `npm run dev`: the demo from the sources. The manager is restarted when src changes, and its processes keep running. The page is
// served by vite with hot reload, and everything else on its port is passed on to the manager.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";
import { buildDaemon, buildSampleWriter } from "./build/bundle.js";
import { configuration, demoLogin, root, url } from "./demo-login.js";

/** An editor that saves several files at once causes one restart, milliseconds. */
const QUIET_MS = 200;
/** Sources that are part of the bundles. A running daemon keeps the code that it was started with. */
const DAEMON_SOURCES = /^(base|protocol|contract|log|bus|recording|daemon)\//;
const WRITER_SOURCES = /^(base|protocol|contract|recording)\//;

const { user, password } = demoLogin();
if (password === null) {
  console.error("dev: examples/demo/webui.keys holds a hashed password. Remove the file; a new one is made at the next start.");
  process.exit(1);
}
const { host, origin } = new URL(url);
const headers = { host, origin, authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
const toManager = { target: url, headers };
const page = await createServer({
  configFile: join(root, "web/vite.config.js"),
  server: {
    port: Number(process.env.DEV_PORT ?? 5173),
    proxy: { "/ws": { ...toManager, ws: true }, "/mgr": { ...toManager, ws: true }, "/save-all": toManager },
  },
});

function mgr(...words) {
  const program = ["--import", "tsx", join(root, "src/cli/main.ts")];
  return spawn(process.execPath, [...program, ...words, "-c", configuration], { cwd: root, stdio: "inherit" });
}

let manager = null;
let isEnding = false;
let work = Promise.resolve();

/** Starts, restarts and the end come one after the other; a failure is told and the next one goes on. */
function next(step) {
  work = work.then(step).catch((error) => console.error(`dev: ${error.message}`));
  return work;
}

async function stopManager() {
  const child = manager;
  manager = null;
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function restart(withDaemon, withWriter) {
  if (isEnding) return;
  await stopManager();
  if (withDaemon) await buildDaemon(join(root, "dist"));
  if (withWriter) await buildSampleWriter(join(root, "dist/sample-writer.mjs"));
  manager = mgr("up", "--keep");
  manager.on("exit", (code) => {
    if (code !== 0 && !isEnding) console.error(`dev: the manager ended with exit code ${code}. It is started again after the next change.`);
  });
}

const changed = new Set();
let timer;
watch(join(root, "src"), { recursive: true }, (_event, file) => {
  if (file === null || !/\.ts$/.test(file)) return;
  changed.add(file);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const withDaemon = [...changed].some((name) => DAEMON_SOURCES.test(name));
    const withWriter = [...changed].some((name) => WRITER_SOURCES.test(name));
    console.log(`dev: ${[...changed].join(", ")} changed; restarting the manager`);
    if (withDaemon) console.log("dev: the host daemon is built anew. It runs the new code after Ctrl-C and another `npm run dev`.");
    changed.clear();
    next(() => restart(withDaemon, withWriter));
  }, QUIET_MS);
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    if (isEnding) return;
    isEnding = true;
    next(async () => {
      await stopManager();
      await once(mgr("down"), "exit");
      await page.close();
      process.exit(0);
    });
  });
}

await next(() => restart(true, true));
await page.listen();
console.log(`dev: page with hot reload: ${page.resolvedUrls?.local[0]}  (the manager: ${url}, user ${user}, password ${password})`);
