import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { shownPictures } from "../scripts/documents/shown-pictures.ts";
import { createProgram } from "../src/cli/program.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENTS = [
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map((name) => join(ROOT, name)),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(ROOT, "docs", name)),
];
const texts = new Map(DOCUMENTS.map((file) => [file, readFileSync(file, "utf8")]));
const readme = texts.get(join(ROOT, "README.md")) ?? "";

const FOLDERS = readdirSync(join(ROOT, "src"), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const FROM_SRC = new RegExp(String.raw`(?<![\w./~-])(?:${FOLDERS.join("|")})/[\w/-]+(?:\.ts)?(?![\w/.<-])`, "gu");

/** The file, also without its ending, and a decision by its number. */
function isThere(path: string): boolean {
  if (existsSync(path)) return true;
  const folder = dirname(path);
  return existsSync(folder) && readdirSync(folder).some((name) => name === `${basename(path)}.ts` || name.startsWith(`${basename(path)}-`));
}

describe.each(DOCUMENTS.map((file) => [relative(ROOT, file), file] as const))("%s", (_name, file) => {
  const text = texts.get(file) ?? "";

  it("names no file of this repository that is not there", () => {
    const named = text.match(/(?<![\w./~-])(?:docs|src|test|bench|examples|scripts)\/[\w./-]*\w/gu) ?? [];
    const missing = named.filter((path) => !isThere(join(ROOT, path)));
    // Patterns such as `docs/decisions/NNNN-*.md` and what a run makes are no files.
    expect(missing.filter((path) => !/NNNN|examples\/demo\/(state|webui\.keys)/u.test(path))).toEqual([]);
  });

  it("names no file of the sources in a drawing that is not there", () => {
    // Drawings name files from `src` on: `actors/system.ts`, `transport/dispatch`.
    const drawings = [...text.matchAll(/^```\n(.*?)^```$/gmsu)].map(([, drawing]) => drawing ?? "").join("\n");
    const named = drawings.match(FROM_SRC) ?? [];
    expect(named.filter((path) => !isThere(join(ROOT, "src", path)))).toEqual([]);
  });

  it("runs no npm script that there is not", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm run (?:-s |--silent )?([\w-]+)/gu)].map(([, name]) => name ?? "");
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

it("shows each picture of docs/screenshots in a document, and no other", () => {
  expect(readdirSync(join(ROOT, "docs/screenshots")).toSorted()).toEqual([...shownPictures()].toSorted());
});

/** The code blocks below a heading. */
function blocks(heading: string): string[][] {
  const [section = ""] = readme.split(`\n## ${heading}\n`)[1]?.split("\n## ") ?? [];
  return [...section.matchAll(/^```\w+\n(.*?)\n^```/gmsu)].map(([, code = ""]) => code.split("\n"));
}

describe("README.md", () => {
  it("says what it is in three sentences and a picture", () => {
    const [, first = "", picture = ""] = /^# mgr\n\n(.*?)\n\n```(.*?)```/su.exec(readme) ?? [];
    expect(first.match(/[.!?](\s|$)/gu)).toHaveLength(3);
    expect(picture.split("\n").length).toBeGreaterThan(4);
  });

  it("has five lines for scripts, five for embedding, ten for many hosts", () => {
    expect(blocks("Scripting in five lines").map((lines) => lines.length)).toEqual([5]);
    expect(blocks("Embedding in five lines").map((lines) => lines.length)).toEqual([5]);
    expect(blocks("Many hosts in ten lines").flat()).toHaveLength(10);
  });

  it("lists every command, and no other", () => {
    const [section = ""] = readme.split("\n## Command line\n")[1]?.split("\n## ") ?? [];
    const listed = [...section.matchAll(/^ {4}mgr ([\w|-]+)/gmu)].flatMap(([, names = ""]) => names.split("|"));
    expect(listed.toSorted()).toEqual(
      createProgram()
        .commands.map((command) => command.name())
        .toSorted(),
    );
  });
});

it("groff and man have no complaint about the manual pages, and there are no others than those of commands", () => {
  const folder = join(ROOT, "docs/man");
  const pages = readdirSync(folder);
  expect(pages.toSorted()).toEqual(["mgr.1", ...createProgram().commands.map((command) => `mgr-${command.name()}.1`)].toSorted());
  const { stdout, stderr, status } = spawnSync("groff", ["-man", "-ww", "-Tutf8", ...pages.map((page) => join(folder, page))], {
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  expect(stdout).toMatch(/mgr.start +. +start +processes/);
});

it("docs/availability.md names a test for each accident, and each of them exists", () => {
  const [promises = [], proofs = []] = (texts.get(join(ROOT, "docs/availability.md")) ?? "")
    .split("\n\n")
    .filter((part) => part.startsWith("| accident |"))
    .map((table) => table.split("\n").slice(2));
  const accidentOf = (row: string) => row.split(" | ")[0];
  expect(promises.length).toBeGreaterThan(5);
  expect(proofs.map(accidentOf)).toEqual(promises.map(accidentOf));
  for (const row of proofs) {
    const named = [...row.matchAll(/`(test\/[^`]+)`: "([^"]+)"/g)];
    expect(named, row).not.toEqual([]);
    for (const [, file = "", title = ""] of named) expect(readFileSync(join(ROOT, file), "utf8"), title).toContain(title);
  }
});

it("no two features of the page use the same key", () => {
  const folder = join(ROOT, "web/src/features");
  const keys = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [
      ...readFileSync(join(folder, name, "index.ts"), "utf8").matchAll(/^ {2}keys: \[[^\n]*keys: "([^"]+)"|^ {6}keys: "([^"]+)"/gm),
    ])
    .map(([, first, second]) => first ?? second);
  expect(keys.length).toBeGreaterThan(3);
  expect(keys).toEqual([...new Set(keys)]);
});
