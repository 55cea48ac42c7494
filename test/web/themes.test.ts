import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../web/src/", import.meta.url));
/** A rule of one theme, with the rules in it. */
const OF_A_THEME = /(?:data-theme|prefers-color-scheme)[^{}]*\{((?:[^{}]|\{[^{}]*\})*)\}/g;
/** Properties that take a colour; a variable has to have one as its value. */
const COLOUR = /^(color|background|background-color|border-color|outline-color|color-scheme|--[\w-]+)$/;
const VALUE_OF_A_COLOUR = /^(#[0-9a-f]{3,8}|rgb\([^()]*\)|var\(--[\w-]+\)|light|dark)$/;

/** Declarations that hold in one theme only. */
function declarationsOf(css: string): string[] {
  const withoutComments = css.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...withoutComments.matchAll(OF_A_THEME)].flatMap(([, body = ""]) =>
    [...body.matchAll(/([\w-]+):\s*([^;{}]+);/g)].map(([, property, value]) => `${property}: ${value?.trim()}`),
  );
}

const isColour = (declaration: string) => {
  const [property = "", value = ""] = declaration.split(": ");
  return COLOUR.test(property) && VALUE_OF_A_COLOUR.test(value);
};

test("the themes of the page differ in colours alone, so layouts are the same in both", () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".css"));
  const declarations = files.flatMap((path) => declarationsOf(readFileSync(ROOT + path, "utf8")));
  expect(declarations).toContain("color-scheme: light");
  expect(declarations.filter((declaration) => !isColour(declaration))).toEqual([]);
});

test("a rule of a theme that changes the size of something is found", () => {
  const css = ':root[data-theme="light"] { --page: #fff; .inner { color: #000; padding: 3px; } --gap: 4px; }';
  expect(declarationsOf(css).filter((declaration) => !isColour(declaration))).toEqual(["padding: 3px", "--gap: 4px"]);
});
