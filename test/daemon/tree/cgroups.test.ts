import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTimeOf } from "../../../src/daemon/proc/proc.ts";
import { ownCgroup, RunCgroups } from "../../../src/daemon/tree/cgroups.ts";
import { killLeftovers } from "../../../src/daemon/tree/guard.ts";
import { processesWith, uniqueSeconds, until } from "../../support/processes.ts";

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

it("the folder of a cgroup is below the mount whose part of the hierarchy has it", () => {
  const mounts = [
    "21 26 0:20 / /proc rw - proc proc rw",
    "41 31 0:38 /a/b /part rw - cgroup2 cgroup2 rw",
    "42 31 0:38 /c /other rw - cgroup2 cgroup2 rw",
  ];
  const folderOf = (name: string) => ownCgroup(proc(`4:memory:/m\n0::${name}\n`, mounts.join("\n")));
  expect(folderOf("/a/b/run")).toBe("/part/run");
  expect(folderOf("/a/b")).toBe("/part");
  expect(folderOf("/c/run/x")).toBe("/other/run/x");
  expect(folderOf("/a/bc")).toBeNull();
});

describe("cgroups of runs", () => {
  it("are not used without cgroup v2, where it cannot be written, and where it cannot kill; nothing is left then", () => {
    const mount = `41 31 0:38 / ${folder} rw,relatime - cgroup2 cgroup2 rw\n`;
    expect(RunCgroups.create("x", proc("4:memory:/a\n", mount))).toBeNull();
    expect(RunCgroups.create("x", proc("0::/\n", mount.replaceAll("cgroup2", "cgroup")))).toBeNull();
    expect(RunCgroups.create("x", proc("0::/missing\n", mount))).toBeNull();
    expect(RunCgroups.create("x", proc("0::/\n", ""))).toBeNull();
    // A folder of an older kernel has no cgroup.kill, and this one is none of a kernel's at all.
    expect(RunCgroups.create("x", proc("0::/\n", mount))).toBeNull();
    expect(readdirSync(folder).sort()).toEqual(["cgroup", "mountinfo"]);
    mkdirSync(join(folder, "a/b"), { recursive: true });
    expect(RunCgroups.create("x", proc("0::/outer/a/b\n", mount.replace(" / ", " /outer ")))).toBeNull();
    expect(RunCgroups.create("x", join(folder, "nowhere"))).toBeNull();
  });

  it("of daemons that were killed together with their guards are removed by the next daemon; those of others stay", async () => {
    const mount = `41 31 0:38 / ${folder} rw,relatime - cgroup2 cgroup2 rw\n`;
    const own = startTimeOf(process.pid);
    const child = spawn("true");
    await once(child, "exit");
    const stale = [`mgr-${child.pid}-1-dead`, `mgr-${process.pid}-1-before-us`];
    const kept = [`mgr-${process.pid}-${own}-alive`, `mgr-${child.pid}-2-busy`, "mgr-other", "user.slice"];
    for (const name of [...stale, ...kept]) mkdirSync(join(folder, name, "7-1/below"), { recursive: true });
    // Stands for a process: such a folder cannot be removed.
    writeFileSync(join(folder, `mgr-${child.pid}-2-busy`, "7-1/below/busy"), "");
    RunCgroups.create("x", proc("0::/\n", mount));
    expect(readdirSync(folder).sort()).toEqual([...kept, "cgroup", "mountinfo"].sort());
    expect(readdirSync(join(folder, `mgr-${process.pid}-${own}-alive`))).toEqual(["7-1"]);
  });

  it("kill a tree with one write, whatever marks it shed, and are removed with it; also by a guard", async () => {
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
        60_000,
        () => [],
      );
      child.stdin?.end("\n");
      await until(
        () => processesWith(word).length >= 7,
        60_000,
        () => processesWith(word),
      );
      if (way === "kill") cgroups.kill("1-1");
      else await killLeftovers("nobody", cgroups.path);
      await ended;
      await until(
        () => processesWith(word).length === 0,
        60_000,
        () => processesWith(word),
      );
      cgroups.remove("1-1");
    }
    await cgroups.close();
    expect(existsSync(cgroups.path)).toBe(false);
  });
});
