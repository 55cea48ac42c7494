import { readdirSync, readFileSync, statSync } from "node:fs";
import { TICKS_PER_SECOND } from "../../../daemon/proc/proc.ts";
import { freeSpace } from "../../../files/free-space.ts";
import type { Figures } from "../series.ts";

const KIB = 1_024;
const SECTOR_BYTES = 512;
/** CPUs with a series of their own, at most. */
const MAX_CPUS = 64;
const THERMAL_ZONES = "/sys/class/thermal";

/** Counters of a machine. */
interface MachineReading {
  readonly at: number;
  /** Busy clock ticks of all CPUs together and of each one. */
  readonly busy: readonly number[];
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
}

/** Load of a whole machine, in the order of HOST_SERIES and its CPUs. */
export class MachineFigures {
  readonly cpus: number;
  /** Folder whose disk is measured; null: none. */
  readonly #folder: string | null;
  #before: MachineReading | null = null;
  /** The disk is asked in the background, as it may hang. */
  #freeBytes: number | null = null;
  #isAsked = false;

  constructor(folder: string | null) {
    this.#folder = folder;
    this.cpus = Math.min(MAX_CPUS, busyTicks(text("/proc/stat") ?? "").length - 1);
  }

  /** `at`: milliseconds of a monotonic clock. */
  measure(at: number): Figures {
    this.#askDisk();
    const before = this.#before;
    const now = { at, busy: busyTicks(text("/proc/stat") ?? ""), ...this.#diskTraffic() };
    this.#before = now;
    const seconds = before === null ? 0 : (at - before.at) / 1_000;
    const rate = (value: number | null | undefined, earlier: number | null | undefined) =>
      seconds <= 0 || value == null || earlier == null ? null : Math.max(0, value - earlier) / seconds;
    const percent = (cpu: number) => {
      const ticks = rate(now.busy[cpu], before?.busy[cpu]);
      return ticks === null ? null : Math.min(100, (100 * ticks) / TICKS_PER_SECOND / (cpu === 0 ? now.busy.length - 1 : 1));
    };
    const memory = memoryUse(text("/proc/meminfo") ?? "");
    return [
      percent(0),
      memory.used,
      memory.swap,
      this.#freeBytes,
      rate(now.readBytes, before?.readBytes),
      rate(now.writtenBytes, before?.writtenBytes),
      known(Number.parseFloat(text("/proc/loadavg") ?? "")),
      temperature(),
      ...Array.from({ length: this.cpus }, (_, cpu) => percent(cpu + 1)),
    ];
  }

  #askDisk(): void {
    if (this.#folder === null || this.#isAsked) return;
    this.#isAsked = true;
    freeSpace(this.#folder)
      .then(
        (bytes) => {
          this.#freeBytes = bytes;
        },
        () => {
          this.#freeBytes = null;
        },
      )
      .finally(() => {
        this.#isAsked = false;
      });
  }

  /** Number of the block device with the folder; null for file systems without one, such as tmpfs. */
  #diskTraffic(): Pick<MachineReading, "readBytes" | "writtenBytes"> {
    const device = this.#folder === null ? undefined : statSync(this.#folder, { throwIfNoEntry: false })?.dev;
    return device === undefined ? { readBytes: null, writtenBytes: null } : diskTraffic(text("/proc/diskstats") ?? "", device);
  }
}

/** Busy ticks of all CPUs, then of each: what is not idle and does not wait for a disk (proc_stat(5)). */
export function busyTicks(stat: string): number[] {
  return [...stat.matchAll(/^cpu\d* +([\d ]+)$/gm)].map(([, counters = ""]) => {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = counters.split(" ").map(Number);
    return user + nice + system + irq + softirq + steal;
  });
}

/** Memory that programs cannot have without taking it from each other, and used swap. */
export function memoryUse(meminfo: string): { used: number | null; swap: number | null } {
  const bytes = (field: string) => known(KIB * Number(new RegExp(`^${field}: +(\\d+) kB`, "m").exec(meminfo)?.[1] ?? Number.NaN));
  const less = (all: number | null, free: number | null) => (all === null || free === null ? null : Math.max(0, all - free));
  return { used: less(bytes("MemTotal"), bytes("MemAvailable")), swap: less(bytes("SwapTotal"), bytes("SwapFree")) };
}

/** Bytes that a block device has read and written. `device`: as `stat` reports it. */
export function diskTraffic(diskstats: string, device: number): Pick<MachineReading, "readBytes" | "writtenBytes"> {
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  const fields = new RegExp(`^ *${major} +${minor} (.*)$`, "m").exec(diskstats)?.[1]?.split(" ");
  if (fields === undefined) return { readBytes: null, writtenBytes: null };
  const sectors = (at: number) => known(SECTOR_BYTES * Number(fields[at] ?? Number.NaN));
  return { readBytes: sectors(3), writtenBytes: sectors(7) };
}

/** The hottest zone, degrees Celsius; null where the kernel shows none. */
function temperature(): number | null {
  let hottest: number | null = null;
  for (const zone of thermalZones()) {
    const value = known(Number.parseInt(text(`${THERMAL_ZONES}/${zone}/temp`) ?? "", 10));
    if (value !== null) hottest = Math.max(hottest ?? value / 1_000, value / 1_000);
  }
  return hottest;
}

function thermalZones(): string[] {
  try {
    return readdirSync(THERMAL_ZONES).filter((name) => name.startsWith("thermal_zone"));
  } catch {
    return []; // Virtual machines have none.
  }
}

/** Null: the kernel does not show it. */
function text(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null; // Sensors may be switched off, and /proc may be restricted.
  }
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
