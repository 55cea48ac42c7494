import { cpus } from "node:os";
import { expect, test } from "vitest";
import { machineCpuNow } from "../../../src/daemon/loads/machine-cpu.ts";

test("the CPU time of a machine is all that the kernel counts except idle time and waiting for disks", () => {
  const text = "cpu  100 20 30 4000 500 6 7 8 90 10\ncpu0 50 10 15 2000 250 3 3 4 45 5\ncpu1 50 10 15 2000 250 3 4 4 45 5\nintr 1 2 3\n";
  expect(machineCpuNow(text)).toEqual({ busy_ms: 1_710, cpus: 2 });
  expect(machineCpuNow("intr 1 2 3\n")).toBeUndefined();
});

test("this machine's CPU time is read from the kernel", () => {
  const before = machineCpuNow()?.busy_ms ?? Number.NaN;
  expect(machineCpuNow()?.cpus).toBe(cpus().length);
  expect(machineCpuNow()?.busy_ms).toBeGreaterThanOrEqual(before);
});
