import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { unifiedCgroup } from "../../../../src/daemon/tree/cgroups.ts";
import { SeenRuns } from "../../../../src/features/crash-reports/host/seen-runs.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

test("each run is examined again a second after it began, together with the runs of the same moment", async () => {
  const clock = new SimulatedClock();
  const seen = new SeenRuns(clock);
  const child = spawn("/bin/sh", ["-c", "echo shell; read go; exec cat"]);
  try {
    await once(child.stdout, "data");
    seen.begun("1-1", child.pid ?? 0, { hasLimits: false });
    await clock.advance(990);
    seen.begun("1-2", child.pid ?? 0, { hasLimits: false });
    seen.begun("1-3", child.pid ?? 0, { hasLimits: false });
    child.stdin.write("\ncat\n");
    await once(child.stdout, "data");
    await clock.advance(50);
    const path = (runId: string) => seen.take(runId)?.executable?.path;
    expect(path("1-1")).toBe(realpathSync("/bin/cat"));
    expect(path("1-2")).toBe(realpathSync("/bin/sh"));
    await clock.advance(1_000);
    expect(path("1-3")).toBe(realpathSync("/bin/cat"));
    expect(clock.pending).toBe(0);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("a run has the limits of this program, or those that are configured for it", async () => {
  const seen = new SeenRuns(new SimulatedClock());
  const child = spawn("/bin/sh", ["-c", "ulimit -n 77; echo limited; read go"]);
  try {
    await once(child.stdout, "data");
    seen.begun("1-1", process.pid, { hasLimits: false });
    seen.begun("1-2", child.pid ?? 0, { hasLimits: true });
    expect(seen.take("1-2")?.limits).toMatch(/^Max open files +77 /m);
    seen.begun("1-3", child.pid ?? 0, { hasLimits: false });
    expect(seen.take("1-3")?.limits).toBe(seen.take("1-1")?.limits);
    seen.close();
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("the second examination of a run finds the program that a shell has executed since, and runs of one cgroup have the same folder", async () => {
  const clock = new SimulatedClock();
  const seen = new SeenRuns(clock);
  const shell = spawn("/bin/sh", ["-c", "echo shell; read go; exec cat"]);
  const plain = spawn("cat", { stdio: ["pipe", "pipe", "ignore"] });
  try {
    await once(shell.stdout, "data");
    seen.begun("1-1", shell.pid ?? 0, { hasLimits: false });
    seen.begun("1-2", plain.pid ?? 0, { hasLimits: true });
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
