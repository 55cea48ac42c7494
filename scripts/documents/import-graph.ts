import { readdirSync, readFileSync } from "node:fs";

const root = new URL("../..", import.meta.url);
const DOCUMENT = "docs/architecture.md";
const IMPORT = /(?:from|import\()\s*"(\.[^"]+)"/g;

/** docs/architecture.md with its drawing of the imports made anew: an arrow from each folder to the folders that it imports. */
export function architectureDocument(): string {
  const text = readFileSync(new URL(DOCUMENT, root), "utf8");
  return text.replace(/(<!-- imports -->\n)[\s\S]*?(<!-- \/imports -->)/, (_, begin: string, end: string) => `${begin}${drawing()}${end}`);
}

function drawing(): string {
  const imports = folderImports();
  const arrows = [...imports].flatMap(([from, targets]) => {
    // An arrow that a longer way stands for is left out.
    const direct = [...targets].filter((to) => ![...targets].some((between) => between !== to && imports.get(between)?.has(to)));
    return direct.map((to) => `  ${from} --> ${to}`);
  });
  return ["```mermaid", "flowchart TD", ...arrows.sort(), "```", ""].join("\n");
}

/** The lists of features name all of them; without these, the drawing shows the core. */
const isFeature = (path: string) => path.startsWith("features/");

/** Folder of src (or `web`) → the other folders that its files import, for types too. Features are left out. */
function folderImports(): Map<string, Set<string>> {
  const core = readdirSync(new URL("src", root)).filter((name) => name !== "features");
  const folders = core.map((name) => ({ name, path: `src/${name}` }));
  const found = new Map<string, Set<string>>();
  for (const { name, path } of [...folders, { name: "web", path: "web/src" }]) {
    const targets = new Set<string>();
    for (const entry of readdirSync(new URL(path, root), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(entry) || isFeature(entry)) continue;
      const file = new URL(`${path}/${entry}`, root);
      for (const [, target = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
        const [, folder = name] = /^src\/(\w+)\//.exec(new URL(target, file).href.slice(root.href.length)) ?? [];
        if (folder !== name && folder !== "features") targets.add(folder);
      }
    }
    found.set(name, targets);
  }
  return found;
}
