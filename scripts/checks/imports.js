// Checks the import rules of docs/architecture.md ("Layers"): folders import one way, packages stay in their folders.
// dependency-cruiser would need the TypeScript 6 compiler API, which TypeScript 7 does not have (docs/decisions/0002).
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Per folder of src: the folders it may import beside itself. */
const below = (...folders) => new Set(folders);
const base = below("base");
const files = below("base");
const protocol = below("base");
const contract = below("base", "protocol");
const log = below(...contract, "contract", "files");
const bus = below(...log, "log");
const members = below(...bus, "bus");
const actors = below(...members, "config", "daemon", "client");
const transport = below(...actors, "actors");
const http = below(...transport, "transport");
const app = below(...http, "http");
const outer = below(...app, "app");
const MAY_IMPORT = {
  base: below(),
  files,
  protocol: base,
  contract: below(...protocol, "protocol"),
  log,
  bus,
  config: below(...bus, "bus"),
  daemon: members,
  client: members,
  actors: below(...bus, "bus", "config", "client"),
  transport: below(...bus, "bus", "config", "client", "actors"),
  http: below(...members, "config", "client", "actors", "transport"),
  app,
  testing: outer,
  cli: below(...outer),
  // It starts the programs, and none of them knows it.
  launch: below("base", "files"),
  web: below("base", "protocol", "client"),
};
/** Folders of a feature, each for one program, and what they may import of the core. All other files of a feature serve every program. */
const SIDES = {
  manager: below(...app, "app"),
  host: below(...members, "daemon"),
  cli: below(...outer, "cli"),
  client: below(...members, "client"),
  testing: below(...outer, "testing"),
};
/** The lists of features, which name them for one side each, and the folders that may import a list. */
const LISTS = {
  wire: below("protocol", "transport"),
  contract: below("contract", "bus", "daemon", "app", "testing"),
  config: below("config"),
  manager: below("app"),
  host: below("daemon"),
  cli: below("cli"),
  client: below("client", "app"),
  testing: below("testing"),
};
const SHARED_BY_SIDES = below(...bus, "bus", "config");

/** Packages that only some files may import (docs/architecture.md). */
const PACKAGE_HOMES = {
  ws: [
    /^src\/transport\//,
    /^src\/http\/(server\/upgrade|extension)\.ts$/,
    /^src\/features\/displays\/manager\/(vnc-proxy|gui-socket)\.ts$/,
    /^src\/features\/forward\/(byte-channel|manager\/(open-forward|socket))\.ts$/,
    /^src\/features\/foxglove\/manager\/viewer(-queue)?\.ts$/,
    /^src\/bus\/carriers\/websocket-stream\.ts$/,
    /^src\/client\//,
    /^src\/features\/[\w-]+\/client\//,
  ],
  rxjs: [/^src\/client\//, /^src\/transport\//, /^src\/app\//, /^src\/features\/[\w-]+\/(client|manager)\//],
  xstate: [/^src\/actors\//, /^src\/app\//, /^src\/testing\//, /^src\/features\/[\w-]+\/manager\//],
  pino: [/^src\/log\/json-log\.ts$/],
  croner: [/^src\/features\/schedule\/cron-times\.ts$/],
  nodemailer: [/^src\/features\/notifications\/manager\/deliveries\/email\.ts$/],
  "@modelcontextprotocol/server": [/^src\/features\/mcp\//],
  "openid-client": [/^src\/features\/oidc\/manager\/(provider|bounded-fetch)\.ts$/],
  "string-width": [/^src\/(features\/[\w-]+\/)?cli\//, /^src\/config\/load\/check-report\.ts$/],
  koffi: [/^src\/daemon\//],
  "node-pty": [/^src\/daemon\//],
  re2js: [
    /^src\/base\/patterns\/linear-regex\.ts$/,
    /^src\/base\/patterns\/guarded-pattern\.ts$/,
    /^web\/src\/features\/output-search\/merged\/line-filter\.ts$/,
  ],
  "@mcap/core": [/^src\/features\/recordings\/samples\/mcap\//, /^web\/src\/features\/recordings\/file\/(?:recorded|growing)-file\.ts$/],
  fzstd: [/^src\/features\/recordings\/samples\/mcap\/decompress\.ts$/],
  "@nats-io/nats-core": [/^src\/bus\//, /^src\/features\/data-plane\/client\//],
  "@foxglove/schemas": [/^src\/features\/data-plane\/samples\/well-known-schemas\.ts$/],
  "@foxglove/rosmsg": [/^src\/features\/(data-plane|recordings)\/samples\//],
  "@foxglove/rosmsg2-serialization": [/^src\/features\/(data-plane|recordings)\/(samples|client)\//],
};
/** Not for pages: what they import, and what that imports, is none of this. */
const NODE_ONLY = /^src\/(client\/(node|index)\.ts$|features\/data-plane\/client\/)/;
/** Folders that must run in a browser too. */
const WITHOUT_NODE = new Set(["base", "protocol", "web"]);
const NODE_MODULES = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^;]*?\sfrom\s+"([^"]+)"|(?:^|[^\w.])import\(\s*"([^"]+)"\s*\)|(?:^|\n)import\s+"([^"]+)"/g;

function sources(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function folderOf(file) {
  const [top, second] = file.split("/");
  return top === "web" ? "web" : top === "src" ? second : null;
}

/** Name of the feature that a file belongs to, and its folder in there; null for a file of the core. */
function featureOf(file) {
  const [, name, side] = /^(?:web\/)?src\/features\/([\w-]+)\/(?:([\w-]+)\/)?/.exec(file) ?? [];
  return name === undefined ? null : { name, side };
}

/** The side of a list of features, such as "client" for `client-exports.ts`; null for another file. */
function listOf(file) {
  return /^src\/features\/(\w+)(?:-[\w-]+)?\.ts$/.exec(file)?.[1] ?? null;
}

/** The folders of the core that a file may import. */
function allowedFor(file) {
  const folder = folderOf(file);
  const list = listOf(file);
  if (list !== null) return SIDES[list] ?? SHARED_BY_SIDES;
  if (folder !== "features") return MAY_IMPORT[folder];
  return SIDES[featureOf(file)?.side] ?? SHARED_BY_SIDES;
}

/** Each circle of imports once: a walk that comes back to a file that it is still below. */
function circles() {
  const found = [];
  const path = [];
  const done = new Set();
  const walk = (file) => {
    if (done.has(file) || !imports.has(file)) return;
    const at = path.indexOf(file);
    if (at >= 0) {
      found.push([...path.slice(at), file]);
      return;
    }
    path.push(file);
    for (const target of imports.get(file)) walk(target);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) walk(file);
  return found;
}

/** Folders whose sub-folders import each other one way. Files in the folder itself put them together and may import all. */
const LAYERED = ["src/app", "src/bus", "src/cli", "src/config", "src/daemon", "src/http", "web/src"];

/** Circles of the sub-folders of `top`, each by one import that is part of it. */
function folderCircles(top) {
  const sub = (file) =>
    file.startsWith(`${top}/`) && file.slice(top.length + 1).includes("/") ? file.slice(top.length + 1).split("/")[0] : null;
  /** Sub-folder → the sub-folders that it imports, with an example. */
  const graph = new Map();
  for (const [file, targets] of imports) {
    const from = sub(file);
    if (from === null) continue;
    for (const target of targets) {
      const to = sub(target);
      if (to === null || to === from) continue;
      if (!graph.has(from)) graph.set(from, new Map());
      graph.get(from).set(to, `${file} → ${target}`);
    }
  }
  const reaches = (from, wanted, seen = new Set()) =>
    [...(graph.get(from)?.keys() ?? [])].some((to) => to === wanted || (!seen.has(to) && reaches(to, wanted, seen.add(to))));
  return [...graph].flatMap(([from, targets]) => [...targets].flatMap(([to, example]) => (reaches(to, from) ? [example] : [])));
}

/** What a page would load that needs Node. */
function loadedByPages() {
  const found = [];
  const seen = new Set();
  const walk = (file, path) => {
    if (seen.has(file)) return;
    seen.add(file);
    if (NODE_ONLY.test(file) || usingNode.has(file)) found.push([...path, file]);
    else for (const target of imports.get(file) ?? []) walk(target, [...path, file]);
  };
  for (const file of imports.keys()) if (file.startsWith("web/") || file === "src/client/browser.ts") walk(file, []);
  return found;
}

const problems = [];
/** Files that import a module of Node. */
const usingNode = new Set();
/** File → the files of src and web that it imports, for types too. */
const imports = new Map();
let edges = 0;
for (const file of [...sources("src"), ...sources("web")]) {
  const from = folderOf(file);
  const allowed = allowedFor(file);
  if (!allowed) {
    problems.push(`${file}: the folder '${from}' has no place in the chain; add it to scripts/checks/imports.js and docs/architecture.md`);
    continue;
  }
  const targets = [];
  imports.set(file, targets);
  for (const match of readFileSync(join(root, file), "utf8").matchAll(IMPORT)) {
    const target = match[1] ?? match[2] ?? match[3];
    edges++;
    // The page's editor completes by the published schema.
    if (from === "web" && target.endsWith("/docs/config.schema.json")) continue;
    if (target.startsWith(".")) {
      const path = relative(root, join(root, dirname(file), target));
      targets.push(path);
      const to = folderOf(path);
      if (featureOf(path) !== null) {
        const own = featureOf(file);
        if (own === null && !/^(web\/)?src\/features\//.test(file))
          problems.push(`${file}: the core knows no feature, and may not import ${path}`);
        // Others see what serves every program, and the entry of each side.
        const { name, side } = featureOf(path);
        const isPublic = side === undefined || !(side in SIDES) || path.endsWith(`/${side}/index.ts`);
        if (own !== null && own.name !== name && !isPublic)
          problems.push(`${file}: '${name}' shows other features only its index.ts, not ${path}`);
        continue;
      }
      const list = listOf(path);
      if (list !== null) {
        if (!LISTS[list]?.has(from)) problems.push(`${file}: ${from} may not import the list ${path}`);
        continue;
      }
      if (to === null) problems.push(`${file}: imports ${target}, outside src and web`);
      else if (to !== from && !allowed.has(to)) problems.push(`${file}: ${from} may not import ${to} (${target})`);
      continue;
    }
    if (NODE_MODULES.has(target)) {
      usingNode.add(file);
      if (WITHOUT_NODE.has(from)) problems.push(`${file}: ${from} must run in a browser, it may not import ${target}`);
      continue;
    }
    const name = target.startsWith("@") ? target.split("/").slice(0, 2).join("/") : target.split("/")[0];
    const homes = PACKAGE_HOMES[name];
    if (homes && !homes.some((home) => home.test(file))) problems.push(`${file}: package '${name}' may not be used here`);
  }
}
// Tests of the core know no feature either; those of the whole program are in test/e2e. The lists of test/features name them.
for (const file of sources("test").filter((each) => !/^test\/(?:features|e2e)\//.test(each))) {
  for (const match of readFileSync(join(root, file), "utf8").matchAll(IMPORT)) {
    const target = match[1] ?? match[2] ?? match[3];
    edges++;
    const path = target.startsWith(".") ? relative(root, join(root, dirname(file), target)) : "";
    if (/^(?:src|web\/src|test)\/features\/[\w-]+\//.test(path))
      problems.push(`${file}: a test of the core knows no feature, and may not import ${path}`);
  }
}
for (const circle of circles()) problems.push(`these files import each other: ${circle.join(" → ")}`);
for (const top of LAYERED)
  for (const example of folderCircles(top)) problems.push(`folders of ${top} import each other in a circle: ${example}`);
for (const path of loadedByPages()) problems.push(`a page would load what needs Node: ${path.join(" → ")}`);
for (const problem of problems) console.error(problem);
console.log(`import rules: ${edges} imports checked, ${problems.length} against the rules`);
process.exit(problems.length > 0 ? 1 : 0);
