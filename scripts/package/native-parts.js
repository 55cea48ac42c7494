// Fetches what is different for each architecture, by npm with the integrity that the lock files have: koffi, node-pty and Node itself.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./options.js";

/** What the bundles do not contain (scripts/build/bundle.js). */
const NATIVE = ["koffi", "node-pty"];

const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** Puts `node_modules` and `node` of an architecture into `folder`. */
export function fetchNativeParts(folder, arch) {
  const { dependencies } = readJson("package.json");
  const { packages } = readJson("package-lock.json");
  const node = readJson("scripts/package/node/package-lock.json").packages;
  const own = {
    name: "mgr",
    dependencies: Object.fromEntries(NATIVE.map((name) => [name, dependencies[name]])),
    optionalDependencies: node[""].optionalDependencies,
  };
  const locked = { ...node, ...closure(packages, NATIVE), "": own };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...own, private: true }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ name: "mgr", lockfileVersion: 3, requires: true, packages: locked }));
  const platform = ["--os=linux", `--cpu=${arch}`, "--libc=glibc"];
  const quiet = ["--ignore-scripts", "--no-bin-links", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  execFileSync("npm", ["ci", ...platform, ...quiet], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });

  const modules = join(folder, "node_modules");
  mkdirSync(join(folder, "node/bin"), { recursive: true });
  for (const part of ["bin/node", "LICENSE"]) renameSync(join(modules, `node-linux-${arch}`, part), join(folder, "node", part));
  rmSync(join(modules, `node-linux-${arch}`), { recursive: true });
  for (const made of [join(modules, ".package-lock.json"), join(folder, "package-lock.json")]) rmSync(made);
}

/** Entries of a lock file for these packages and all that they depend on. */
export function closure(packages, names) {
  const found = {};
  const add = (name) => {
    const path = `node_modules/${name}`;
    const entry = packages[path];
    // A dependency that is optional for another platform, or lies in a folder of its own.
    if (entry === undefined || path in found) return;
    found[path] = entry;
    for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) add(next);
  };
  names.forEach(add);
  return found;
}
