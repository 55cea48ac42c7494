// What the browser loads before the first view, from the built page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const WEB = fileURLToPath(new URL("../../../dist/web", import.meta.url));
const page = readFileSync(join(WEB, "index.html"), "utf8");
const scripts = [...page.matchAll(/<script [^>]*src="([^"]+)"/g)].map(([, path = ""]) => path);
const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)];
/** Bytes of a file as it is sent. */
const sizeOf = (path: string) => readFileSync(join(WEB, `${path}.gz`)).length;

test("the script that opens the connection waits for nothing: it is in the page, small, before the style sheet, and imports nothing", () => {
  expect(inline).toHaveLength(1);
  for (const { 1: code = "", index } of inline) {
    expect(code).toContain("new WebSocket(");
    expect(code.length).toBeLessThan(3_000);
    expect(code).not.toMatch(/\bimport\b/);
    expect(index).toBeLessThan(page.indexOf("stylesheet"));
    // A browser reads the character set in the first 1,024 bytes.
    expect(index).toBeGreaterThan(page.indexOf("<meta charset"));
  }
});

test("the first view needs one script beside it, below 110 kB, without the libraries of views that are opened later", () => {
  expect(scripts).toHaveLength(1);
  expect(page).not.toContain("modulepreload");
  for (const path of scripts) {
    expect(sizeOf(path)).toBeLessThan(110_000);
    const code = readFileSync(join(WEB, path), "utf8");
    for (const library of ["YAMLParseError", "xterm-viewport", "u-legend", "EditorView"]) expect(code, library).not.toContain(library);
  }
});
