import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Debian's libfaketime: programs that it is loaded into are shown another wall clock; the monotonic one stays. */
const folder = readdirSync("/usr/lib").find((name) => name.endsWith("-linux-gnu")) ?? "";
export const SHIFTED_CLOCK = {
  LD_PRELOAD: join("/usr/lib", folder, "faketime/libfaketime.so.1"),
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  DONT_FAKE_MONOTONIC: "1",
} as const;

/** Environment of a program whose wall clock is ahead by this time, seconds; negative: behind. */
export function clockAhead(seconds: number): Record<string, string> {
  return { ...SHIFTED_CLOCK, FAKETIME: `${seconds < 0 ? "" : "+"}${seconds}` };
}
