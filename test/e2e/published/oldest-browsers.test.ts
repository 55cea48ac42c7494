import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";
import { describe, expect, test } from "vitest";

// The README names the oldest browsers. They must be able to read every file of the built page, also those that are loaded later:
// a file that a browser cannot read leaves a blank page.

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const ASSETS = join(ROOT, "dist/web/assets");
const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));

/** As the targets of a build are written: chrome114. */
function namedBrowsers(): string[] {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8").replaceAll("\n", " ");
  const [, versions = ""] = /It needs (.*?), or a later version\./.exec(readme) ?? [];
  const chrome = /Chrome or Edge (\d+)/.exec(versions)?.[1];
  const others = [...versions.matchAll(/(Firefox|Safari) (\d+)/g)].map(([, name = "", version]) => `${name.toLowerCase()}${version}`);
  return [`chrome${chrome}`, `edge${chrome}`, ...others];
}

/** What of a script is too new for the targets: rewritten, or warned of where nothing can replace it. */
async function tooNew(code: string, target: string[]): Promise<string[]> {
  const options = { sourcemap: false } as const;
  const [old, plain] = await Promise.all([
    transformWithOxc(code, "script.js", { ...options, target }),
    transformWithOxc(code, "script.js", { ...options, target: "esnext" }),
  ]);
  return [...old.warnings.map(String), ...(old.code === plain.code ? [] : ["its syntax is newer"])];
}

describe("the oldest browsers of the README", () => {
  test("are the targets of the page's build", () => {
    const config = readFileSync(join(ROOT, "web/vite.config.js"), "utf8");
    expect(namedBrowsers()).toHaveLength(4);
    expect(config).toContain(`const OLDEST_BROWSERS = ${JSON.stringify(namedBrowsers()).replaceAll(",", ", ")};`);
    expect(config).toContain("target: OLDEST_BROWSERS");
  });

  test.each(scripts)("can read %s", async (name) => {
    expect(await tooNew(readFileSync(join(ASSETS, name), "utf8"), namedBrowsers())).toEqual([]);
  });

  test("can read the script in the page's HTML", async () => {
    const page = readFileSync(join(ROOT, "dist/web/index.html"), "utf8");
    const [, code = ""] = /<script>(.*?)<\/script>/s.exec(page) ?? [];
    expect(code).toContain("WebSocket");
    expect(await tooNew(code, namedBrowsers())).toEqual([]);
  });

  test("support a top-level await, which the display view has; older ones do not", async () => {
    const [viewer = ""] = scripts.filter((name) => name.startsWith("rfb-"));
    const code = readFileSync(join(ASSETS, viewer), "utf8");
    expect(await tooNew(code, ["chrome88"])).not.toEqual([]);
    expect(await tooNew("a ||= 1;", ["chrome80"])).not.toEqual([]);
  });

  test("load noVNC only with the display view: the page itself has none of it", () => {
    const page = readFileSync(join(ROOT, "dist/web/index.html"), "utf8");
    expect(page).not.toContain("rfb-");
    for (const name of scripts.filter((each) => page.includes(each)))
      expect(readFileSync(join(ASSETS, name), "utf8"), name).not.toMatch(/from"\.\/rfb-|RFB 003/);
  });
});
