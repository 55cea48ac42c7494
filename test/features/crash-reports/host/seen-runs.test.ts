import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { unifiedCgroup } from "../../../../src/daemon/tree/cgroups.ts";
import { SeenRuns } from "../../../../src/features/crash-reports/host/seen-runs.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

test("the second look at a run finds the program that a shell has executed since, and runs of one cgroup have the same folder", async () => {
  const clock = new SimulatedClock();
  const seen = new SeenRuns(clock);
  const shell = spawn("/bin/sh", ["-c", "echo shell; read go; exec cat"]);
  const plain = spawn("cat", { stdio: ["pipe", "pipe", "ignore"] });
  try {
    await once(shell.stdout, "data");
    seen.begun("1-1", shell.pid ?? 0);
    seen.begun("1-2", plain.pid ?? 0);
    shell.stdin.write("\ncat\n");
    // The first byte of the new program.
    await once(shell.stdout, "data");
    await clock.advance(1_000);
    const [executed, other] = [seen.take("1-1"), seen.take("1-2")];
    expect(executed?.executable?.path).toBe(realpathSync("/bin/cat"));
    expect(executed?.limits).toContain("Max open files");
    expect(executed?.limits, "it is another one in each run").not.toContain("file locks");
    expect(executed?.cgroup === null).toBe(unifiedCgroup("/proc/self") === null);
    expect(other?.cgroup?.folder).toBe(executed?.cgroup?.folder);
    expect(seen.take("1-1")).toBeNull();
    expect(clock.pending).toBe(0);
  } finally {
    for (const child of [shell, plain]) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
});
