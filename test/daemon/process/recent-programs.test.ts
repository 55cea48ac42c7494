import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import { RecentPrograms } from "../../../src/daemon/process/recent-programs.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-recent-"));
  for (const name of ["first", "second"]) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(path: string): string {
  const file = join(folder, path);
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

const program = (path: string, command = "tool") => ({
  argv: [command],
  cwd: folder,
  environment: { PATH: path },
  account: null,
});

/** Fails as the kernel does for a file that is gone. */
function starter(gone: () => string | null) {
  return (path: string) => {
    if (path === gone()) throw new MgrError("spawn_failed", "the kernel reports ENOENT");
    return path;
  };
}

test("a program that is gone since it was found is searched for again", () => {
  const programs = new RecentPrograms();
  const path = `${join(folder, "first")}:${join(folder, "second")}`;
  const [first, second] = [install("first/tool"), install("second/tool")];
  let gone: string | null = null;
  const start = starter(() => gone);
  expect(programs.start(program(path), start)).toBe(first);
  rmSync(first);
  gone = first;
  expect(programs.start(program(path), start)).toBe(second);
});

test("one that is nowhere any more is refused with the reason", () => {
  const programs = new RecentPrograms();
  const first = install("first/tool");
  programs.start(program(join(folder, "first")), (path) => path);
  rmSync(first);
  expect(() =>
    programs.start(
      program(join(folder, "first")),
      starter(() => first),
    ),
  ).toThrow("there is no program 'tool' in PATH");
});

test("another PATH or command is searched for", () => {
  const programs = new RecentPrograms();
  const [first, second, other] = [install("first/tool"), install("second/tool"), install("first/other")];
  const path = (folderName: string, command?: string) => programs.start(program(join(folder, folderName), command), (found) => found);
  expect([path("first"), path("second"), path("first", "other")]).toEqual([first, second, other]);
});

test("what cannot be passed to a program is refused each time", () => {
  const programs = new RecentPrograms();
  install("first/tool");
  const plain = program(join(folder, "first"));
  programs.start(plain, (path) => path);
  expect(() => programs.start({ ...plain, argv: ["tool", "a\0b"] }, (path) => path)).toThrow("NUL");
});
