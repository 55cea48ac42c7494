// Proves that the core knows no feature: removes a feature, with those that use it, from a copy of the project, and checks what is left.
// Types, import rules and the core's own tests must pass, `mgr up` must run a process, and the frames of the feature must be unknown.
// `node scripts/checks/deletion.js` checks one feature, chosen by the commit; with names, these; with `--all`, every one, then
// all of them at once.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { copyWithout, FEATURES, filesIn, ROOT, withUsers } from "./feature-removal.js";

/** Tests that are not of the core: of features, of the whole program, and of documents, which describe all features. */
const NOT_CORE = ["test/features/", "test/e2e/", "test/documents.test.ts", "test/protocol/generated.test.ts"];
/** Beside the tests of the whole program, it takes what they leave of the processors. */
const NICENESS = 10;
const MS_PER_DAY = 86_400_000;
/** Stands for all features at once. */
const EVERY = "every-feature";
const CHOICES = [...FEATURES, EVERY];

/** What this program has started and what still runs, by its process group. */
const running = new Set();
/** Why no further step may begin. */
let ended = null;

class StepFailure extends Error {
  constructor(step, output) {
    super(`the step '${step}' failed`);
    this.output = output;
  }
}

/** Runs a command to its end; resolves with its output. It has a process group of its own, so that it can be ended with its children. */
async function run(step, [command, ...args], { mayFail = false, isKept = false, ...options }) {
  if (ended !== null && !isKept) throw ended;
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  if (!isKept) running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = await once(child, "close");
  running.delete(child);
  if (code !== 0 && !mayFail) throw new StepFailure(step, output);
  return output;
}

/** Ends everything that runs, except for what is kept; what waits for it rejects. */
function end(reason) {
  ended ??= reason;
  for (const { pid } of running) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      // It has ended meanwhile.
      if (error.code !== "ESRCH") throw error;
    }
  }
}

/** Runs a manager of the copy with one process, and asks it for what the features answered. */
async function checkManager(copy, options) {
  const mgr = (step, args, more) => run(step, ["node", join(copy, "bin/mgr.js"), ...args], { ...options, ...more });
  // It is not ended halfway: `mgr down` might not find the manager.
  await mgr("mgr up", ["up", "--detach"], { isKept: true });
  await mgr("mgr wait", ["wait", "plain", "--for", "started", "--timeout", "120"]);
  const { CLIENT_FRAMES } = await import(join(copy, "dist/protocol/frames/frames.js"));
  const { $defs } = JSON.parse(readFileSync(join(ROOT, "docs/protocol.schema.json"), "utf8"));
  const removed = Object.keys($defs).flatMap((name) => /^client\.(\w+)$/.exec(name)?.[1] ?? []);
  for (const type of removed.filter((each) => !Object.hasOwn(CLIENT_FRAMES, each))) {
    const answer = await mgr(type, ["call", JSON.stringify({ type })], { mayFail: true });
    if (!answer.includes("unknown_action")) throw new StepFailure(`'${type}' is unknown`, answer);
  }
  const snapshot = JSON.parse(await mgr("get_snapshot", ["call", '{"type":"get_snapshot"}']));
  const [plain] = snapshot.processes;
  const missing = ["clients", "vnc_sessions"].filter((field) => !Array.isArray(snapshot[field]));
  if (missing.length > 0 || !("x_display_kind" in plain))
    throw new StepFailure("a snapshot has the fields that stand in resources of the core", JSON.stringify(snapshot, null, 2));
}

async function check(removed) {
  const folder = mkdtempSync(join(tmpdir(), "mgr-deletion-"));
  const [copy, instance, temporary] = ["copy", "instance", "tmp"].map((each) => join(folder, each));
  for (const each of [copy, instance, temporary]) mkdirSync(each, { mode: 0o700 });
  const env = { ...process.env, TMPDIR: temporary, XDG_RUNTIME_DIR: temporary };
  const inCopy = { cwd: copy, env };
  const inInstance = { cwd: instance, env };
  const manage = async () => {
    await run("import rules", ["node", "scripts/checks/imports.js"], inCopy);
    // It checks the types of the sources too.
    await run("build", ["node", "scripts/build/build.js"], inCopy);
    await checkManager(copy, inInstance);
  };
  const test = async () => {
    const tsc = ["node", "node_modules/typescript/bin/tsc", "-p", "web/tsconfig.json", "--noEmit", "--checkers", "1"];
    await run("types of the page", tsc, inCopy);
    const files = filesIn(join(copy, "test")).map((file) => relative(copy, file));
    const own = files.filter((file) => file.endsWith(".test.ts") && !NOT_CORE.some((path) => file.startsWith(path)));
    const vitest = ["node", "node_modules/vitest/vitest.mjs", "run", "--reporter=dot", "--project", "unit-fast"];
    // One worker loads each module once. The projects of vitest.config.ts do not follow `--maxWorkers`.
    await run("tests of the core", [...vitest, ...own], { ...inCopy, env: { ...env, VITEST_MAX_WORKERS: "1" } });
  };
  try {
    copyWithout(removed, copy);
    writeFileSync(
      join(instance, "mgr.yaml"),
      "instance: {name: deletion, manager: 'localhost:0', state_dir: ./state}\nprocesses:\n  plain: {command: sleep 100000, autostart: true}\n",
    );
    const lanes = [manage(), test()];
    await Promise.all(lanes).catch(async (error) => {
      end(error);
      await Promise.allSettled(lanes);
      throw ended;
    });
    console.log(`deletion: the rest works without ${removed.join(", ")}`);
  } finally {
    const down = ["node", join(copy, "bin/mgr.js"), "down", "--timeout", "20"];
    await run("mgr down", down, { ...inInstance, mayFail: true, isKept: true });
    rmSync(folder, { recursive: true, maxRetries: 10 });
  }
}

/** The feature whose turn it is: by the commit, or by the day where there is none. */
function chosen() {
  let number = Math.floor(Date.now() / MS_PER_DAY);
  try {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    number = Number.parseInt(commit.slice(0, 8), 16);
  } catch {
    // The project was unpacked from an archive, or git is not there.
  }
  return CHOICES[number % CHOICES.length];
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end(new Error(`ended by ${signal}`)));
setPriority(NICENESS);
const asked = process.argv.slice(2);
const names = asked.includes("--all") ? CHOICES : asked.length > 0 ? asked : [chosen()];
const unknown = names.filter((name) => !CHOICES.includes(name));
if (unknown.length > 0) {
  console.error(`deletion: there is no feature '${unknown.join("', '")}'. Name some of: ${CHOICES.join(", ")}`);
  process.exit(2);
}
for (const name of names) {
  try {
    await check(name === EVERY ? FEATURES : withUsers(name));
  } catch (error) {
    if (error instanceof StepFailure) console.error(error.output);
    console.error(`deletion: without '${name}', ${error.message}. Repeat it: node scripts/checks/deletion.js ${name}`);
    process.exitCode = 1;
    if (ended !== null && !(ended instanceof StepFailure)) break;
    ended = null;
  }
}
