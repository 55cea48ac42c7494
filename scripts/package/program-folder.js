// Makes the folder that the archives and the Debian packages contain: the program, the Node that runs it, its native parts, the demo.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../build/bundle.js";
import { fetchNativeParts } from "./native-parts.js";
import { description, root, version } from "./options.js";

const COPIED = [
  "bin",
  "clients",
  "docs/config.schema.json",
  "docs/protocol.schema.json",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
];
/** What the demo consists of; its folder may also hold state and passwords of a demo that runs there. */
const DEMO = ["examples/demo/mgr.yaml", "examples/demo/programs"];
/** Folders of `dist` that run. The others are the library, compiled file by file, which the npm package has. */
const PROGRAM_FOLDERS = new Set(["program", "web"]);

/** Makes `folder`. `dist` has to be built. */
export async function makeProgramFolder(folder, arch) {
  if (!existsSync(join(root, "dist/program/mgr.cjs"))) throw new Error("dist is not built: run `npm run build` first");
  mkdirSync(folder, { recursive: true });
  fetchNativeParts(folder, arch);
  for (const path of [...COPIED, ...DEMO]) copy(path, folder);
  for (const { name, ...entry } of readdirSync(join(root, "dist"), { withFileTypes: true }))
    if (PROGRAM_FOLDERS.has(name) || /\.[cm]js$/.test(name)) copy(`dist/${name}`, folder, entry);
  await buildClient(join(folder, "dist/client.js"));
  const exports = { "./client": "./dist/client.js" };
  const manifest = { name: "mgr", version, description, license: "MIT", private: true, type: "module", exports };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const launcher of ["mgr", "mgr-demo"]) cpSync(join(import.meta.dirname, "launchers", launcher), join(folder, launcher));
  addHelp(folder);
  setModes(folder);
}

/** Man pages, and what shells complete. */
function addHelp(folder) {
  cpSync(join(root, "docs/man"), join(folder, "share/man/man1"), { recursive: true });
  mkdirSync(join(folder, "share/completion"));
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = execFileSync(process.execPath, [join(root, "bin/mgr.js"), "completion", shell]);
    writeFileSync(join(folder, `share/completion/mgr.${shell}`), script);
  }
}

function copy(path, folder) {
  // Bytecode of the machine that built it (docs/decisions/0042).
  cpSync(join(root, path), join(folder, path), {
    recursive: true,
    filter: (source) => !/\/(code-cache|__pycache__|build|[^/]*\.egg-info)$/.test(source),
  });
}

/** The same modes whatever the umask is. */
function setModes(path) {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  chmodSync(path, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (found.isDirectory()) for (const name of readdirSync(path)) setModes(join(path, name));
}
