import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
// @ts-expect-error: JavaScript without types.
import { copyWithout, FEATURES, ROOT, withUsers } from "../../scripts/checks/feature-removal.js";

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "mgr-deletion-test-"));
  copyWithout(["displays"], copy);
});
afterAll(() => rmSync(copy, { recursive: true }));

/** Runs the import rules of the copy. */
const rules = () => spawnSync(process.execPath, ["scripts/checks/imports.js"], { cwd: copy, encoding: "utf8" });

describe("a copy without a feature", () => {
  it("has neither its folders nor its name in a list, and all the rest", () => {
    for (const home of ["src/features", "web/src/features", "test/features"]) {
      expect(existsSync(join(copy, home, "displays"))).toBe(false);
      expect(existsSync(join(copy, home, "recordings"))).toBe(true);
    }
    const listOf = (folder: string) => readFileSync(join(folder, "src/features/manager.ts"), "utf8");
    expect(listOf(ROOT)).toMatch(/displays/);
    expect(listOf(copy)).not.toMatch(/displays/);
    expect(listOf(copy)).toMatch(
      /dataPlane,\s+presets,\s+hostClocks,\s+recordings,\s+flight,\s+replay,\s+loggers,\s+networkStatistics,\s+processList/,
    );
  });

  it("keeps the import rules", () => {
    const { status, stderr } = rules();
    expect([status, stderr]).toEqual([0, ""]);
  });

  it.each([
    ["the core", "src/base/errors.ts", "../features/recordings/wire.ts"],
    ["the core, of the removed feature", "src/base/errors.ts", "../features/displays/wire.ts"],
    ["the page", "web/src/main.tsx", "./features/recordings/index.ts"],
    ["a test of the core", "test/base/errors.test.ts", "../features/recordings/fake-recordings.ts"],
  ])("is refused when a file of %s imports a feature", (_where, file, imported) => {
    const path = join(copy, file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, `import "${imported}";\n${before}`);
    try {
      const { status, stderr } = rules();
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^${file}: .*knows no feature, and may not import`, "m"));
    } finally {
      writeFileSync(path, before);
    }
  });
});

it("a feature is removed with those that use it", () => {
  const users: Record<string, string[]> = Object.fromEntries(FEATURES.map((name: string) => [name, withUsers(name).sort()]));
  expect(users.recordings).toEqual(["flight", "foxglove", "loggers", "mcp", "recordings", "replay", "topic-latency"]);
  expect(users.displays).toEqual(["displays"]);
});
