import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cgroupNotes } from "../../../../src/features/limits/cli/cgroup-note.ts";

const NONE = { memory_high: null, memory_max: null, cpu_max: null, io_max: [] };
const PROCESSES = [
  { name: "a", cgroup: { ...NONE, memory_max: 1 } },
  { name: "b", cgroup: { ...NONE, cpu_max: 1 } },
];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-limits-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that was started in this cgroup of a file system of cgroups. */
function startedIn(cgroup: string): string {
  mkdirSync(join(folder, cgroup), { recursive: true });
  writeFileSync(join(folder, "cgroup"), `0::${cgroup}\n`);
  writeFileSync(join(folder, "mountinfo"), `41 31 0:38 / ${folder} rw,relatime - cgroup2 cgroup2 rw\n`);
  return folder;
}

test("mgr check names the processes whose cgroup limits cannot be set, and why", () => {
  const proc = startedIn("/app");
  writeFileSync(join(folder, "app", "cgroup.controllers"), "cpu pids\n");
  expect(cgroupNotes(PROCESSES, proc)).toEqual([
    "the limits of 'cgroup' that need the memory controller cannot be set: it is not delegated to programs that are started here, or is used by cgroup v1. This is about a; see docs/limits.md",
  ]);
  writeFileSync(join(folder, "mountinfo"), "");
  expect(cgroupNotes(PROCESSES, proc).map((note) => /need the (\w+) .*: there is no cgroup v2\./.exec(note)?.[1])).toEqual([
    "memory",
    "cpu",
  ]);
});

test("in a cgroup named mgr, the one above it counts, in which the runs get theirs", () => {
  const proc = startedIn("/service/mgr");
  writeFileSync(join(folder, "service", "cgroup.controllers"), "cpu memory\n");
  writeFileSync(join(folder, "service", "mgr", "cgroup.controllers"), "");
  expect(cgroupNotes(PROCESSES, proc)).toEqual([]);
});
