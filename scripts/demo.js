// `npm start`: makes the demo's auth file if it is missing, runs the demo in the foreground, and says what to do with it.
import { spawn } from "node:child_process";
import { join, relative } from "node:path";
import { configuration, demoLogin, root, url } from "./demo-login.js";

/** The log of its start has come to rest by then, milliseconds: what stands below it is read. */
const SETTLED_MS = 2_500;
const { user, password } = demoLogin();
const here = (path) => relative(process.cwd(), join(root, path));
const mgr = (command) => `node ${here("bin/mgr.js")} ${command} -c ${here("examples/demo/mgr.yaml")}`.padEnd(64);

const child = spawn(process.execPath, [join(root, "bin/mgr.js"), "up", "-c", configuration], { stdio: "inherit" });
const welcome = setTimeout(async () => {
  const answer = await fetch(new URL("/mgr/health", url)).catch(() => null);
  if (!answer?.ok || child.exitCode !== null) return;
  console.log(`
  The demo's page:  ${url}
  user:             ${user}
  password:         ${password ?? "(only its hash is known)"}

  To try in another terminal:
    ${mgr("top")}  states and load, live
    ${mgr("attach tools/shell")}  a real terminal; Ctrl-] leaves it
    kill -9 ${String(child.pid).padEnd(56)}  the manager dies; npm start again finds everything running

  Ctrl-C stops everything.
`);
}, SETTLED_MS);
// The terminal sends Ctrl-C to the whole foreground group: mgr gets its own; this process only has to wait for it.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => signal === "SIGTERM" && child.kill(signal));
child.on("exit", (code, signal) => {
  clearTimeout(welcome);
  if (signal === "SIGKILL")
    console.log(
      `\n  The manager was killed. Its daemon and every process go on: npm start finds them; this ends them: ${mgr("down").trim()}\n`,
    );
  else if (code !== 0)
    console.log(
      `\n  The demo did not come up, or failed. Another port: DEMO_PORT=8140 npm start. What runs of it ends with: ${mgr("down").trim()}\n`,
    );
  process.exit(code ?? 1);
});
