import { readFileSync } from "node:fs";
import type { z } from "zod";
import type { machineCpu } from "../../contract/loads.ts";
import { ticksToMs } from "./run-loads.ts";

/** Counters of `/proc/stat` for all CPUs together (proc_stat(5)); `guest` and `guest_nice` are part of `user` and `nice`. */
const FIELDS = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"] as const;
const IDLE: ReadonlySet<string> = new Set(["idle", "iowait"]);

/** CPU time of this machine; undefined if the kernel does not report it. */
export function machineCpuNow(text: string = readFileSync("/proc/stat", "latin1")): z.infer<typeof machineCpu> | undefined {
  const [, counted] = /^cpu +([\d ]+)$/m.exec(text) ?? [];
  const cpus = text.match(/^cpu\d/gm)?.length ?? 0;
  if (counted === undefined || cpus === 0) return undefined;
  const ticks = counted.split(" ").map(Number);
  return { busy_ms: ticksToMs(FIELDS.reduce((sum, name, at) => (IDLE.has(name) ? sum : sum + (ticks[at] ?? 0)), 0)), cpus };
}
