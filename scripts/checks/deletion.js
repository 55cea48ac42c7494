// Proves that the core knows no feature: removes a feature, with those that use it, from a copy of the project, and checks what is left.
// Types, import rules and the core's own tests must pass, `mgr up` must run a process, and the frames of the feature must be unknown.
// `node scripts/checks/deletion.js` checks one feature, chosen by the commit; with names, these; with `--all`, every one.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const FEATURES = readdirSync(join(root, "src/features"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);
/** Folders in which each feature has a folder of its own. */
const HOMES = ["src/features", "web/src/features", "test/features"];
/** Tests of the whole program: what they expect includes every feature. */
const WHOLE = [
  "test/contract",
  "test/protocol",
  "test/documents.test.ts",
  ...["many-requests", "shutdown", "view", "websocket"].map((name) => `test/transport/${name}.test.ts`),
];
const IMPORT =
  /(?:^|\n)[ \t]*(?:import|export)\s[^;]*?\sfrom\s+"(\.[^"]+)"|(?:^|[^\w.])import\(\s*"(\.[^"]+)"\s*\)|(?:^|\n)import\s+"(\.[^"]+)"/g;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** Absolute paths of the files that a file imports. */
function importsOf(file) {
  return [...readFileSync(file, "utf8").matchAll(IMPORT)].map((match) => resolve(dirname(file), match[1] ?? match[2] ?? match[3]));
}

const featureOf = (file) => /^(?:src|web\/src)\/features\/([\w-]+)\//.exec(relative(root, file))?.[1];

/** The features that use `name`, and those that use them. */
function usersOf(name) {
  const found = new Set([name]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const home of HOMES.slice(0, 2)) {
      for (const file of filesIn(join(root, home))) {
        const feature = featureOf(file);
        if (feature !== undefined && importsOf(file).some((target) => found.has(featureOf(target)))) found.add(feature);
      }
    }
  }
  return [...found];
}

/** Removes from a list what it imports from the removed features. */
function removeFromList(file, removed) {
  const gone = new RegExp(`^\\./(?:${removed.join("|")})/`);
  const names = [];
  let text = readFileSync(file, "utf8").replace(
    /^(?:import|export)\s[^;]*?from\s+"([^"]+)";\n|^@?import\s+"([^"]+)";\n/gm,
    (whole, from, bare) => {
      if (!gone.test(from ?? bare)) return whole;
      if (whole.startsWith("import ")) {
        const listed = /\{([^}]*)\}/.exec(whole)?.[1] ?? "";
        for (const name of listed.split(","))
          names.push(
            name
              .trim()
              .replace(/^type /, "")
              .replace(/^.* as /, ""),
          );
      }
      return "";
    },
  );
  for (const name of names.filter((each) => each !== "")) {
    const whole = new RegExp(`\\b${name}\\b`);
    // A method of a class with its comment, a statement of its own, or an entry of a table, an array or a type.
    text = text.replace(/(?:^ {2}\/\*\*.*\n(?: {3}\*.*\n)*)?^ {2}[\w ]+\(.*\{\n[\s\S]*?^ {2}\}\n/gm, (method) =>
      whole.test(method) && !method.includes("constructor") ? "" : method,
    );
    text = text.replace(/^ +[\w.# ]+(?:: \w+)?(?: = .*)?;\n/gm, (statement) => (whole.test(statement) ? "" : statement));
    text = text.replace(new RegExp(`(?:\\.\\.\\.)?(?:\\w+: )?\\b${name}\\b,?[ ]?`, "g"), "");
  }
  const isEmpty = file.endsWith(".ts") && !/^(?:import|export) /m.test(text);
  writeFileSync(file, isEmpty ? `${text}export {};\n` : text);
}

/** A copy of the project without the features. */
function copyWithout(removed) {
  const copy = mkdtempSync(join(tmpdir(), "mgr-deletion-"));
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  for (const file of tracked) {
    if (removed.some((name) => HOMES.some((home) => file.startsWith(`${home}/${name}/`))) || !existsSync(join(root, file))) continue;
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const home of HOMES) {
    for (const name of readdirSync(join(copy, home))) if (/\.(tsx?|css)$/.test(name)) removeFromList(join(copy, home, name), removed);
  }
  return copy;
}

/** Tests of the core that use nothing of the removed features, not even through a helper. */
function coreTests(copy) {
  const isBroken = new Map();
  const broken = (file) => {
    if (!existsSync(file)) return true;
    if (!file.startsWith(join(copy, "test"))) return false;
    if (!isBroken.has(file)) {
      isBroken.set(file, false);
      isBroken.set(file, importsOf(file).some(broken));
    }
    return isBroken.get(file);
  };
  const outside = ["features", "e2e"].map((name) => join(copy, "test", name));
  const whole = WHOLE.map((name) => join(copy, name));
  return filesIn(join(copy, "test")).filter(
    (file) => file.endsWith(".test.ts") && ![...outside, ...whole].some((folder) => file.startsWith(folder)) && !broken(file),
  );
}

function run(copy, command, args) {
  execFileSync(command, args, { cwd: copy, stdio: ["ignore", "inherit", "inherit"] });
}

/** Runs a manager of the copy with one process, and asks it for what the features answered. */
async function checkManager(copy, unknown) {
  const folder = mkdtempSync(join(tmpdir(), "mgr-deletion-up-"));
  writeFileSync(
    join(folder, "mgr.yaml"),
    "instance: {name: deletion, manager: 'localhost:0', state_dir: ./state}\nprocesses:\n  plain: {command: sleep 100000, autostart: true}\n",
  );
  const mgr = (...args) => execFileSync(process.execPath, [join(copy, "bin/mgr.js"), ...args], { cwd: folder, encoding: "utf8" });
  const manager = spawn(process.execPath, [join(copy, "bin/mgr.js"), "up"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  const ended = once(manager, "exit");
  try {
    // Until it serves; `mgr wait` ends by itself if the process does not start.
    for (let attempt = 0; attempt < 300 && manager.exitCode === null && !existsSync(join(folder, "state/manager.url")); attempt++)
      await new Promise((resolve) => setTimeout(resolve, 200));
    mgr("wait", "plain", "--for", "started");
    for (const type of unknown) {
      let answer;
      try {
        answer = mgr("call", JSON.stringify({ type }));
      } catch (error) {
        answer = `${error.stdout}${error.stderr}`;
      }
      if (!answer.includes("unknown_action") && !answer.includes("unknown action")) throw new Error(`'${type}' is answered by: ${answer}`);
    }
    const snapshot = mgr("call", JSON.stringify({ type: "get_snapshot" }));
    for (const field of ["clients", "vnc_sessions"])
      if (!snapshot.includes(`"${field}"`)) throw new Error(`the snapshot has no '${field}'`);
    if (!snapshot.includes('"x_display_kind"')) throw new Error("a process has no 'x_display_kind'");
  } finally {
    manager.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(name) {
  const removed = usersOf(name);
  console.log(`== without ${removed.join(", ")}`);
  const copy = copyWithout(removed);
  try {
    run(copy, "npx", ["tsc", "-p", "tsconfig.build.json", "--noEmit"]);
    run(copy, "npx", ["tsc", "-p", "web/tsconfig.json", "--noEmit"]);
    run(copy, "node", ["scripts/checks/imports.js"]);
    run(copy, "node", ["scripts/build/build.js"]);
    await checkManager(copy, await unknownFrames(copy));
    const tests = coreTests(copy).map((file) => relative(copy, file));
    run(copy, "npx", ["vitest", "run", "--reporter=dot", "--project", "unit-fast", ...tests]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Frames that the project has and the copy has not. */
async function unknownFrames(copy) {
  const types = async (folder) => Object.keys((await import(join(folder, "dist/protocol/frames/frames.js"))).CLIENT_FRAMES);
  const left = new Set(await types(copy));
  return (await types(root)).filter((type) => !left.has(type));
}

const asked = process.argv.slice(2);
const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
const chosen = FEATURES[Number.parseInt(commit.slice(0, 8), 16) % FEATURES.length];
for (const name of asked.includes("--all") ? FEATURES : asked.length > 0 ? asked : [chosen]) await check(name);
console.log("deletion: the rest works without it");
