import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CgroupLimits } from "../../../../src/features/limits/contract.ts";
import { RunCgroupLimits } from "../../../../src/features/limits/host/cgroup-limits.ts";

// A folder stands for the cgroup file system: memory and cpu are controllers of cgroup v1 on many machines, also where v2 is mounted.

const NONE: CgroupLimits = { memory_high: null, memory_max: null, cpu_max: null, io_max: [] };
let base: string;
let run: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "mgr-limits-"));
  run = join(base, "mgr-host", "1-1");
  mkdirSync(run, { recursive: true });
  for (const folder of [base, join(base, "mgr-host")]) {
    writeFileSync(join(folder, "cgroup.controllers"), "cpu io memory pids\n");
    writeFileSync(join(folder, "cgroup.subtree_control"), "");
  }
  for (const file of ["memory.high", "memory.max", "cpu.max", "io.max"]) writeFileSync(join(run, file), "");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (...path: string[]) => readFileSync(join(base, ...path), "utf8");
const inRun = (file: string) => at("mgr-host", "1-1", file);
const limiter = () => new RunCgroupLimits(async (runId) => (runId === "1-1" ? run : null));

test("limits are written as the kernel reads them", async () => {
  const limits = { memory_high: 1_000_000, memory_max: 2_000_000, cpu_max: 150, io_max: [{ device: "259:0", read: 1_000, write: null }] };
  expect(await limiter().set("1-1", limits)).toBeNull();
  expect([inRun("memory.high"), inRun("memory.max"), inRun("cpu.max"), inRun("io.max")]).toEqual([
    "1000000",
    "2000000",
    "150000 100000",
    "259:0 rbps=1000 wbps=max",
  ]);
});

test("a controller is enabled in both cgroups above the run, and left alone where it is enabled", async () => {
  const above = [join(base, "cgroup.subtree_control"), join(base, "mgr-host", "cgroup.subtree_control")];
  await limiter().set("1-1", { ...NONE, cpu_max: 50 });
  expect(above.map((file) => readFileSync(file, "utf8"))).toEqual(["+cpu", "+cpu"]);
  for (const file of above) writeFileSync(file, "memory cpu\n");
  await limiter().set("1-1", { ...NONE, cpu_max: 60 });
  expect(above.map((file) => readFileSync(file, "utf8"))).toEqual(["memory cpu\n", "memory cpu\n"]);
});

test("limits that are no longer configured are lifted; without any from the start nothing is written", async () => {
  const cgroups = limiter();
  expect(await cgroups.set("1-1", null)).toBeNull();
  expect(inRun("memory.max")).toBe("");
  const limits = { memory_high: 1_000_000, memory_max: 2_000_000, cpu_max: 50, io_max: [{ device: "8:0", read: null, write: 5 }] };
  await cgroups.set("1-1", limits);
  for (const file of ["memory.high", "memory.max", "cpu.max", "io.max"]) writeFileSync(join(run, file), "");
  expect(await cgroups.set("1-1", { ...NONE, memory_max: 3_000_000 })).toBeNull();
  expect([inRun("memory.high"), inRun("memory.max"), inRun("cpu.max"), inRun("io.max")]).toEqual([
    "max",
    "3000000",
    "max 100000",
    "8:0 rbps=max wbps=max",
  ]);
});

test("a controller that is not available is named with its keys, and the other limits are set", async () => {
  writeFileSync(join(base, "cgroup.controllers"), "cpu\n");
  const problem = await limiter().set("1-1", { ...NONE, memory_high: 1_000_000, memory_max: 2_000_000, cpu_max: 50 });
  expect(problem).toMatch(/^memory_high and memory_max cannot be set: the memory controller is not available in \S+: it is not delegated/);
  expect([inRun("memory.max"), inRun("cpu.max")]).toEqual(["", "50000 100000"]);
});

test("a file that the kernel does not have is not created, and a device that is none is named", async () => {
  rmSync(join(run, "cpu.max"));
  const problem = await limiter().set("1-1", { ...NONE, cpu_max: 50, io_max: [{ device: "/dev/null", read: 1, write: 1 }] });
  expect(problem).toMatch(/io_max cannot be set: \/dev\/null is no block device; cpu_max cannot be set: ENOENT/);
  expect(() => inRun("cpu.max")).toThrow("ENOENT");
});

test("a run without a cgroup has a reason, and none if nothing is configured", async () => {
  expect(await limiter().set("1-2", { ...NONE, cpu_max: 50 })).toMatch(/this host has no writable cgroup v2/);
  expect(await limiter().set("1-2", null)).toBeNull();
});
