import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DumpedRun, findCore } from "../../../../src/features/crash-reports/host/core-file.ts";
import { type CoreFacts, corePlaceOf } from "../../../../src/features/crash-reports/host/core-pattern.ts";

const FACTS: CoreFacts = { pid: 4_711, uid: 1_000, gid: 100, signal: 11, hostName: "bench", executable: "/srv/sim/world" };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-core-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = (pattern: string, usesPid = false) => corePlaceOf(pattern, FACTS, usesPid);
const matches = (pattern: string, name: string, usesPid = false) => {
  const found = place(pattern, usesPid);
  return found.kind === "files" && found.name.test(name);
};

test.each([
  ["core", "core", false],
  ["core", "core.4711", true],
  ["core.%p", "core.4711", true],
  ["core.%p%%", "core.4711%", false],
  ["%e-%p-%t.core", "world-4711-1795679114.core", false],
  ["%E.%s.%u.%g", "!srv!sim!world.11.1000.100", false],
  ["a.b%h(1)", "a.bbench(1)", false],
  ["core%q.%p%", "core.4711", false],
])("core_pattern %s names the file %s", (pattern, name, usesPid) => {
  expect(matches(`${pattern}\n`, name, usesPid)).toBe(true);
  expect(matches(pattern, `${name}x`, usesPid)).toBe(false);
  expect(matches(pattern, name.replace(/[^%]/, "/"), usesPid)).toBe(false);
});

test("a dot of the pattern matches a dot alone, and another pid is another process", () => {
  expect(matches("core.%p", "coreX4711")).toBe(false);
  expect(matches("core.%p", "core.4712")).toBe(false);
});

test("a folder is part of the pattern, unless it depends on what is not known", () => {
  expect(place("/var/crash/%u/core.%p")).toMatchObject({ kind: "files", folder: "/var/crash/1000/" });
  expect(place("dumps/core.%p")).toMatchObject({ kind: "files", folder: "dumps/" });
  expect(place("/var/crash/%t/core")).toEqual({ kind: "unknown" });
  expect(place("")).toEqual({ kind: "unknown" });
  expect(place("|/usr/lib/systemd/systemd-coredump %P\n")).toEqual({ kind: "program", command: "/usr/lib/systemd/systemd-coredump %P" });
});

const uid = process.geteuid?.() ?? 0;
const run = (changes: Partial<DumpedRun> = {}): DumpedRun => {
  const now = Date.now();
  return { ...FACTS, signal: "SIGSEGV", uid, gid: 0, cwd: folder, dumpedCore: true, from: now - 1_000, until: now, ...changes };
};
const options = { pattern: "core.%p\n", usesPid: false };

test("the core dump of a run is found in its folder", async () => {
  const path = join(folder, "core.4711");
  writeFileSync(path, "core");
  writeFileSync(join(folder, "core.4712"), "core");
  expect(await findCore(run(), options)).toEqual({ core: { path, size: 4 }, core_problem: null });
  expect(await findCore(run(), { pattern: `${folder}/core.%p`, usesPid: false })).toMatchObject({ core: { path } });
  expect(await findCore(run(), { pattern: `${folder}/core.%p.%h`, usesPid: false })).toMatchObject({ core: null });
  writeFileSync(join(folder, `core.4711.${hostname()}`), "core");
  expect(await findCore(run(), { pattern: "core.%p.%h", usesPid: false })).toMatchObject({ core: { size: 4 } });
});

test("a link, a named pipe and a file from before the run are no core dumps", async () => {
  const path = join(folder, "core.4711");
  const secret = join(folder, "secret");
  writeFileSync(secret, "secret");
  symlinkSync(secret, path);
  expect(await findCore(run(), options)).toMatchObject({ core: null, core_problem: expect.stringContaining("no core dump") });
  rmSync(path);
  execFileSync("mkfifo", [path]);
  expect((await findCore(run(), options)).core).toBeNull();
  rmSync(path);
  writeFileSync(path, "core");
  execFileSync("touch", ["-d", "2020-01-01", path]);
  expect((await findCore(run(), options)).core).toBeNull();
});

test("without a core dump, the report says why, or how to get it", async () => {
  const problem = async (changes: Partial<DumpedRun>, pattern = "core") =>
    (await findCore(run(changes), { pattern, usesPid: false })).core_problem;
  expect(await problem({ dumpedCore: false, signal: "SIGKILL" })).toBeNull();
  expect(await problem({ dumpedCore: false, signal: null })).toBeNull();
  expect(await problem({ dumpedCore: false })).toContain("limits.core");
  expect(await problem({}, "|/usr/lib/systemd/systemd-coredump %P %u")).toContain("coredumpctl info 4711");
  expect(await problem({}, "|/usr/share/apport/apport -p%p")).toContain("/usr/share/apport/apport");
  expect(await problem({ cwd: join(folder, "gone") })).toContain("ENOENT");
});
