import { TICKS_PER_SECOND } from "../proc/proc.ts";
import { koffi, libc } from "./libc.ts";

const clockGettime = libc.func("int clock_gettime(int clock, void *time)") as (clock: number, time: Buffer) => number;

const CLOCK_BOOTTIME = 7;
/** Nanoseconds of a clock tick as the kernel reports ticks to programs: the same on every Linux platform. */
const NS_PER_TICK = 10_000_000;
/** `struct timespec`: seconds and nanoseconds. */
const time = Buffer.alloc(16);
const LONG_BYTES = koffi.sizeof("long");

/** Clock ticks since boot, as in the start times of processes (`/proc/PID/stat`), without reading /proc. */
export function bootTicks(): number {
  clockGettime(CLOCK_BOOTTIME, time);
  return longAt(0) * TICKS_PER_SECOND + Math.floor(longAt(LONG_BYTES) / NS_PER_TICK);
}

function longAt(offset: number): number {
  return LONG_BYTES === 8 ? Number(time.readBigInt64LE(offset)) : time.readInt32LE(offset);
}
