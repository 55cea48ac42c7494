// `npm start`: makes the demo's auth file if it is missing, runs the demo in the foreground, and says what to do with it.
import { spawn } from "node:child_process";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { configuration, demoLogin, root, url, welcomeText } from "./demo-login.js";

/** Interval between checks whether it is up, and how long the log of the start goes on after that, milliseconds. */
const LOOK_MS = 250;
const SETTLED_MS = 1_500;
const { user, password } = demoLogin();
const here = (path) => relative(process.cwd(), join(root, path));
const mgr = (command) => `node ${here("bin/mgr.js")} ${command} -c ${here("examples/demo/mgr.yaml")}`.padEnd(64);

const child = spawn(process.execPath, [join(root, "bin/mgr.js"), "up", "--no-output", "-c", configuration], { stdio: "inherit" });
welcome();

async function welcome() {
  while (!(await isUp())) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    await pause(LOOK_MS);
  }
  await pause(SETTLED_MS);
  console.log(welcomeText({ url, user, password, pid: child.pid, mgr }));
}

async function isUp() {
  const answer = await fetch(new URL("/mgr/health", url)).catch(() => null);
  return answer?.ok === true;
}

// The terminal sends Ctrl-C to the whole foreground group: mgr gets its own; this process only has to wait for it.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => signal === "SIGTERM" && child.kill(signal));
child.on("exit", (code, signal) => {
  const down = mgr("down").trim();
  if (signal === "SIGKILL")
    console.log(`\n  The manager was killed. Its processes keep running.\n  Take over: npm start\n  Stop everything: ${down}\n`);
  else if (code !== 0)
    console.log(`\n  The demo ended with an error.\n  If its port is in use: DEMO_PORT=8140 npm start\n  Stop what still runs: ${down}\n`);
  process.exit(code ?? 1);
});
