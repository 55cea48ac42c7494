import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { operatorFolder, ownerInPath, removeOperatorFolder } from "../../../src/daemon/session/operator-folder.ts";

const UUID = "01234567-89ab-cdef-0123-456789abcdef";
const UID = process.geteuid?.() ?? 0;
const GID = process.getegid?.() ?? 0;

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "mgr-operators-"));
});
afterEach(() => rmSync(base, { recursive: true }));

const make = () => operatorFolder({ uuid: UUID, gid: GID, base });
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

test("the folder lets its group pass, and nothing else; it is made again with these modes, and removed at the end", () => {
  const folder = make();
  expect(folder).toBe(join(base, `mgr-${UID}-operators`, "0123456789abcdef"));
  expect([modeOf(dirname(folder)), modeOf(folder), lstatSync(folder).gid]).toEqual(["711", "710", GID]);
  chmodSync(folder, 0o777);
  chmodSync(dirname(folder), 0o777);
  expect([make(), modeOf(dirname(folder)), modeOf(folder)]).toEqual([folder, "711", "710"]);
  removeOperatorFolder(folder);
  expect(existsSync(dirname(folder))).toBe(false);
});

test("the folder of another instance stays at the end", () => {
  const other = operatorFolder({ uuid: "ffffffff-89ab-cdef-0123-456789abcdef", gid: GID, base });
  removeOperatorFolder(make());
  expect(existsSync(other)).toBe(true);
});

test("a link and a file in the place of the folder are refused", () => {
  const upper = join(base, `mgr-${UID}-operators`);
  mkdirSync(join(base, "elsewhere"));
  symlinkSync("elsewhere", upper);
  expect(make).toThrow("is not a folder");
  rmSync(upper);
  writeFileSync(upper, "");
  expect(make).toThrow("is not a folder");
});

test.runIf(UID === 0)("a folder of another user is refused", () => {
  const upper = join(base, `mgr-${UID}-operators`);
  mkdirSync(upper);
  chownSync(upper, 54_322, 54_322);
  expect(make).toThrow("belongs to uid 54322");
});

test("a path of such a socket names the user of its manager", () => {
  expect(ownerInPath("/run/mgr-1000-operators/0123456789abcdef/control.sock")).toBe(1_000);
  for (const path of ["/run/mgr-1000/0123456789abcdef/control.sock", "/run/mgr-1000-operators/control.sock", "/tmp/mgr-x-operators/a/b"])
    expect(ownerInPath(path)).toBeNull();
});
