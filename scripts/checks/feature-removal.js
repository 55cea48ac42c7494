// A copy of the project without some of its features. Their folders are left out, and the lists of features no longer name them.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
/** Folders in which each feature has a folder of its own; the files beside these folders are the lists. */
const HOMES = ["src/features", "web/src/features", "test/features"];
/** What is not part of the project, in whatever way it was fetched: git may know nothing of it. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|coverage|\.git|\.cache|__pycache__)$|^examples\/.*\/(?:state[^/]*|webui\.keys.*)$/;
const IMPORT = /^(?:import|export)\s[^;]*?from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

export const FEATURES = readdirSync(join(ROOT, HOMES[0]), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);

/** Paths of the TypeScript files below a folder. */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

const featureOf = (file) => /^(?:web\/)?src\/features\/([\w-]+)\//.exec(relative(ROOT, file))?.[1];

/** Which feature imports which, by the files of the project. */
function readEdges() {
  return HOMES.slice(0, 2).flatMap((home) =>
    filesIn(join(ROOT, home)).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, from, dynamic]) => ({
        user: featureOf(file),
        used: featureOf(resolve(dirname(file), from ?? dynamic)),
      })),
    ),
  );
}

/** Read once, because it takes the files of all features. */
let edges;

/** The feature, those that use it, and those that use them. */
export function withUsers(name) {
  edges ??= readEdges();
  // A list uses all of them, and is no feature.
  const found = new Set([name]);
  for (const used of found) for (const edge of edges) if (edge.used === used && edge.user !== undefined) found.add(edge.user);
  return [...found];
}

/** Copies the project without these features into the folder, which must be empty. */
export function copyWithout(removed, folder) {
  const isLeftOut = (file) => LEFT_OUT.test(file) || removed.some((name) => HOMES.some((home) => file === `${home}/${name}`));
  for (const entry of readdirSync(ROOT)) {
    if (isLeftOut(entry)) continue;
    const filter = (file) => !isLeftOut(relative(ROOT, file));
    cpSync(join(ROOT, entry), join(folder, entry), { recursive: true, verbatimSymlinks: true, filter });
  }
  // A folder of its own: the tools keep their caches in it.
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules")).filter((each) => !each.startsWith(".vite")))
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  for (const home of HOMES) {
    for (const name of readdirSync(join(folder, home)).filter((each) => /\.(?:ts|css)$/.test(each))) {
      const file = join(folder, home, name);
      writeFileSync(file, withoutEntries(readFileSync(file, "utf8"), removed, name.endsWith(".ts")));
    }
  }
}

/**
 * A list without its imports from these features, and without what names them: entries and methods at the first level of indentation,
 * and names between the brackets of one line.
 */
function withoutEntries(text, removed, isModule) {
  const gone = new RegExp(`(?:from|import) "\\./(?:${removed.join("|")})/`);
  // Statements begin in the first column, and so do brackets that close them.
  const statements = text.split(/\n(?=[^\s})\]])/);
  const names = statements.filter((statement) => gone.test(statement) && statement.startsWith("import")).flatMap(importedNames);
  const left = statements.filter((statement) => !gone.test(statement));
  if (names.length > 0) {
    const named = new RegExp(`\\b(?:${names.join("|")})\\b`);
    const inLine = new RegExp(`(?:\\.{3})?${named.source},? ?`, "g");
    for (const [index, statement] of left.entries()) {
      const [head, ...entries] = statement.split(/\n(?= {2}[^\s*})\]]|[})\]])/);
      if (!head.startsWith("import"))
        left[index] = [head.replaceAll(inLine, ""), ...entries.filter((entry) => !named.test(entry))].join("\n");
    }
  }
  const isEmpty = isModule && !left.some((statement) => /^(?:import|export) /.test(statement));
  return `${left.join("\n")}\n${isEmpty ? "export {};\n" : ""}`;
}

function importedNames(statement) {
  const [, listed = ""] = /\{([^}]*)\}/.exec(statement) ?? [];
  return listed.split(",").flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []);
}
