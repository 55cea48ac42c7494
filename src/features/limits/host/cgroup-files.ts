import { constants, open, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import type { CgroupLimits } from "../contract.ts";

/** Period of `cpu.max`, microseconds: the kernel's default. */
const CPU_PERIOD_US = 100_000;
const NONE: CgroupLimits = { memory_high: null, memory_max: null, cpu_max: null, io_max: [] };

/** A value for a file of a cgroup: `key` is the one of the configuration. */
interface Setting {
  readonly key: "memory_high" | "memory_max" | "cpu_max" | "io_max";
  readonly file: string;
  readonly value: string;
}

/**
 * Writes limits to the cgroup of a run, `folder`, in place of those of `before`, and returns why some could not be set; null: all are. A problem
 * with one does not prevent the others.
 */
export async function writeCgroupLimits(folder: string, limits: CgroupLimits | null, before: CgroupLimits | null): Promise<string | null> {
  const problems: string[] = [];
  const { io_max, ...next } = limits ?? NONE;
  const freed = (before ?? NONE).io_max.filter(({ device }) => !io_max.some((each) => each.device === device));
  const devices = [...io_max, ...freed.map(({ device }) => ({ device, read: null, write: null }))];
  const settings = [...dropped(limits ?? NONE, before ?? NONE), ...(await wanted({ ...next, io_max: devices }, problems))];
  const controllers = new Set(settings.map(({ file }) => file.slice(0, file.indexOf("."))));
  for (const controller of controllers) {
    const problem = await enable(folder, controller);
    if (problem === null) continue;
    const keys = new Set(settings.flatMap(({ file, key }) => (file.startsWith(`${controller}.`) ? key : [])));
    problems.push(`${[...keys].join(" and ")} cannot be set: ${problem}`);
    controllers.delete(controller);
  }
  for (const { key, file, value } of settings) {
    if (!controllers.has(file.slice(0, file.indexOf(".")))) continue;
    try {
      await write(join(folder, file), value);
    } catch (error) {
      problems.push(`${key} cannot be set: ${messageOf(error)}`);
    }
  }
  return problems.length === 0 ? null : problems.join("; ");
}

/** Enables a controller for the cgroup of a run, which is two levels below the one of the host. Returns why that failed. */
async function enable(folder: string, controller: string): Promise<string | null> {
  const host = dirname(folder);
  const base = dirname(host);
  for (const above of [base, host]) {
    try {
      const enabled = await readFile(join(above, "cgroup.subtree_control"), "utf8");
      if (enabled.split(/\s+/).includes(controller)) continue;
      const available = await readFile(join(above, "cgroup.controllers"), "utf8");
      if (!available.split(/\s+/).includes(controller))
        return `the ${controller} controller is not available in ${above}: it is not delegated to mgr, or is used by cgroup v1`;
      await write(join(above, "cgroup.subtree_control"), `+${controller}`);
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code === "EBUSY" ? "it contains processes itself" : messageOf(error);
      return `the ${controller} controller cannot be enabled in ${above}: ${why}. docs/limits.md says how to start mgr with a cgroup of its own`;
    }
  }
  return null;
}

/** Settings of `before` that are no longer wanted, except those of devices. */
function dropped(limits: CgroupLimits, before: CgroupLimits): Setting[] {
  const settings: Setting[] = [];
  if (before.memory_high !== null && limits.memory_high === null) settings.push({ key: "memory_high", file: "memory.high", value: "max" });
  if (before.memory_max !== null && limits.memory_max === null) settings.push({ key: "memory_max", file: "memory.max", value: "max" });
  if (before.cpu_max !== null && limits.cpu_max === null) settings.push({ key: "cpu_max", file: "cpu.max", value: `max ${CPU_PERIOD_US}` });
  return settings;
}

async function wanted({ memory_high, memory_max, cpu_max, io_max }: CgroupLimits, problems: string[]): Promise<Setting[]> {
  const settings: Setting[] = [];
  if (memory_high !== null) settings.push({ key: "memory_high", file: "memory.high", value: String(memory_high) });
  if (memory_max !== null) settings.push({ key: "memory_max", file: "memory.max", value: String(memory_max) });
  if (cpu_max !== null)
    settings.push({ key: "cpu_max", file: "cpu.max", value: `${Math.round((cpu_max / 100) * CPU_PERIOD_US)} ${CPU_PERIOD_US}` });
  for (const { device, read, write: written } of io_max) {
    const numbers = await numbersOf(device).catch((error: unknown) => {
      problems.push(`io_max cannot be set: ${messageOf(error)}`);
      return null;
    });
    if (numbers !== null)
      settings.push({ key: "io_max", file: "io.max", value: `${numbers} rbps=${read ?? "max"} wbps=${written ?? "max"}` });
  }
  return settings;
}

/** Major and minor number of a block device, as the kernel writes them. */
async function numbersOf(device: string): Promise<string> {
  if (!device.startsWith("/")) return device;
  const status = await stat(device);
  if (!status.isBlockDevice()) throw new Error(`${device} is no block device`);
  // The layout of dev_t in glibc: 12 bits of the major number above 8 of the minor one, the others above these.
  const id = BigInt(status.rdev);
  const major = ((id >> 8n) & 0xfffn) | ((id >> 32n) & ~0xfffn);
  const minor = (id & 0xffn) | ((id >> 12n) & ~0xffn & 0xffffffffn);
  return `${major}:${minor}`;
}

/** The kernel may reclaim memory while it is written, so the write has a thread of its own. A file that is missing is not created. */
async function write(path: string, text: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY);
  try {
    await file.write(text);
  } finally {
    await file.close();
  }
}
