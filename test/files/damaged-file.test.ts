import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { nameAsDamaged, setAside } from "../../src/files/damaged-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-damaged-"));
  path = join(folder, "state.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ["renamed", setAside, false],
  ["kept in its place", nameAsDamaged, true],
] as const)(
  "of a file that is damaged again and again and %s, the newest five are kept, and those that are removed are named",
  (_how, give, stays) => {
    const said: string[] = [];
    for (let count = 1; count <= 12; count++) {
      // A second name must not change with the file.
      rmSync(path, { force: true });
      writeFileSync(path, `damage ${count}`);
      said.push(give(path));
      expect(existsSync(path)).toBe(stays);
    }
    rmSync(path, { force: true });
    expect(readdirSync(folder).sort()).toEqual([10, 11, 12, 8, 9].map((number) => `state.json.damaged-${number}`));
    expect(readFileSync(`${path}.damaged-12`, "utf8")).toBe("damage 12");
    expect(said[4]).toBe(`${path}.damaged-5`);
    expect(said[5]).toBe(`${path}.damaged-6 (the newest 5 are kept: state.json.damaged-1 removed)`);
  },
);

it("other files and folders stay, and a lower number is not used again", () => {
  const others = ["state.json.damaged-", "state.json.damaged-x", "state.json.damaged-01", "other.damaged-1", "state.json"];
  for (const name of others) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, "state.json.damaged-1"));
  for (const number of [3, 4, 5, 6, 900]) writeFileSync(`${path}.damaged-${number}`, "");
  expect(setAside(path)).toBe(`${path}.damaged-901 (the newest 5 are kept: state.json.damaged-3 removed)`);
  for (const name of ["state.json.damaged-1", ...others.slice(0, -1)]) expect(existsSync(join(folder, name)), name).toBe(true);
});
