// What the browser loads before the first view, from the built page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const WEB = fileURLToPath(new URL("../../../dist/web", import.meta.url));
const page = readFileSync(join(WEB, "index.html"), "utf8");
const scripts = [...page.matchAll(/<script ([^>]*)src="([^"]+)"/g)].map(([, attributes = "", path = ""]) => ({ attributes, path }));
const early = scripts.filter(({ path }) => path.includes("/open-first-socket-"));
/** Bytes of a file as it is sent. */
const sizeOf = (path: string) => readFileSync(join(WEB, `${path}.gz`)).length;

test("the script that opens the connection waits for nothing: it is small, asynchronous and imports nothing", () => {
  expect(early).toHaveLength(1);
  for (const { attributes, path } of early) {
    expect(attributes).toContain("async");
    expect(sizeOf(path)).toBeLessThan(2_000);
    expect(readFileSync(join(WEB, path), "utf8")).not.toMatch(/\bimport\b/);
  }
});

test("the first view needs one more script, below 110 kB, without the libraries of views that are opened later", () => {
  const others = scripts.filter((script) => !early.includes(script));
  expect(others).toHaveLength(1);
  expect(page).not.toContain("modulepreload");
  for (const { path } of others) {
    expect(sizeOf(path)).toBeLessThan(110_000);
    const code = readFileSync(join(WEB, path), "utf8");
    for (const library of ["YAMLParseError", "xterm-viewport", "u-legend", "EditorView"]) expect(code, library).not.toContain(library);
  }
});
