import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunCgroups } from "../../src/daemon/cgroups.ts";
import { killLeftovers } from "../../src/daemon/guard.ts";
import { processesWith, uniqueSeconds, until } from "../support/processes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-cgroups-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A /proc/self whose cgroup v2 is said to be mounted somewhere. */
function proc(cgroup: string, mountinfo: string): string {
  writeFileSync(join(folder, "cgroup"), cgroup);
  writeFileSync(join(folder, "mountinfo"), mountinfo);
  return folder;
}

describe("cgroups of runs", () => {
  it("are not there without a cgroup v2, where it cannot be written, and where it cannot kill; nothing is left then", () => {
    const mount = `41 31 0:38 / ${folder} rw,relatime - cgroup2 cgroup2 rw\n`;
    expect(RunCgroups.create("x", proc("4:memory:/a\n", mount))).toBeNull();
    expect(RunCgroups.create("x", proc("0::/\n", mount.replaceAll("cgroup2", "cgroup")))).toBeNull();
    expect(RunCgroups.create("x", proc("0::/missing\n", mount))).toBeNull();
    expect(RunCgroups.create("x", proc("0::/\n", ""))).toBeNull();
    // A folder of an older kernel has no cgroup.kill, and this one is none of a kernel's at all.
    expect(RunCgroups.create("x", proc("0::/\n", mount))).toBeNull();
    expect(existsSync(join(folder, "mgr-x"))).toBe(false);
    mkdirSync(join(folder, "a/b"), { recursive: true });
    expect(RunCgroups.create("x", proc("0::/outer/a/b\n", mount.replace(" / ", " /outer ")))).toBeNull();
    expect(RunCgroups.create("x", join(folder, "nowhere"))).toBeNull();
  });

  it("kill a tree with one write, whatever it shed, and go with it; also by a guard", async () => {
    const cgroups = RunCgroups.create(`test-${process.pid}`);
    if (cgroups === null) {
      // Only where none is mounted writable: this machine is then the fallback's, which reaper.test.ts tries out.
      expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toMatch(/ - cgroup2 \S+ rw(,|$)/m);
      return;
    }
    for (const way of ["kill", "guard"] as const) {
      const word = uniqueSeconds();
      const gate = "read -r _; ";
      // Double forks, sessions of their own, no environment: nothing but the cgroup holds them together.
      const tree = `${gate} for n in 1 2 3; do (env -i setsid sh -c 'sleep ${word} & sleep ${word} &') & done; wait; sleep ${word}`;
      const child = spawn("sh", ["-c", tree], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
      const ended = once(child, "exit");
      cgroups.add("1-1", child.pid ?? 0);
      await until(
        () =>
          existsSync(join(cgroups.path, "1-1")) && readFileSync(join(cgroups.path, "1-1/cgroup.procs"), "utf8").includes(String(child.pid)),
        2_000,
        () => [],
      );
      child.stdin?.end("\n");
      await until(
        () => processesWith(word).length >= 7,
        5_000,
        () => processesWith(word),
      );
      if (way === "kill") cgroups.kill("1-1");
      else await killLeftovers("nobody", cgroups.path);
      await ended;
      await until(
        () => processesWith(word).length === 0,
        2_000,
        () => processesWith(word),
      );
      cgroups.remove("1-1");
    }
    await cgroups.close();
    expect(existsSync(cgroups.path)).toBe(false);
  });
});
