import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeFolders, makeFoldersSync } from "../../src/files/make-folders.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-folders-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ["makeFolders", makeFolders],
  ["makeFoldersSync", async (path: string, mode: number) => makeFoldersSync(path, mode)],
])("%s", (_name, make) => {
  test("makes a folder with those above it, once", async () => {
    const path = join(folder, "a/b/c");
    expect(await make(path, 0o700)).toBe(true);
    expect(await make(path, 0o700)).toBe(false);
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
  });

  test("fails where the file system has no folder for it, instead of trying for ever", async () => {
    await expect(make("/proc/mgr-none/a", 0o700)).rejects.toThrow("ENOENT: no such file or directory, mkdir '/proc/mgr-none'");
  });

  test.each(["file", "link"])("names the %s that is in the way", async (name) => {
    writeFileSync(join(folder, "file"), "");
    symlinkSync(join(folder, "none"), join(folder, "link"));
    await expect(make(join(folder, name, "a"), 0o700)).rejects.toThrow(`EEXIST: file already exists, mkdir '${join(folder, name)}'`);
  });
});
