import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunSpec } from "../../../src/contract/run.ts";
import { HostRig, spec } from "../support/hosts.ts";

const isRoot = process.getuid?.() === 0;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const logged = (line: string, log: Partial<NonNullable<RunSpec["log_file"]>> = {}, changes: Partial<RunSpec> = {}) =>
  spec("p", line, {
    base_dir: folder,
    cwd: folder,
    log_file: { path: "logs/p.log", max_size: 1_048_576, max_files: 3, ...log },
    ...changes,
  });
const text = (path = "logs/p.log") => readFileSync(join(folder, path), "utf8");

/** Files are written behind the terminal's back; there is no event to wait for. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10);
}
/** A rotation may rename the file while it is looked at. */
const textIfThere = (path: string) => {
  try {
    return text(path);
  } catch {
    return "";
  }
};
const holds = (path: string, part: string) => () => textIfThere(path).includes(part);
/** The end of a host waits two seconds for its disk, which may be too short on a busy machine. */
const written = (end: string) => eventually(() => textIfThere("logs/p.log").endsWith(end));

describe("a log file", () => {
  test("gets every byte of every run, and its folder is created", async () => {
    await using rig = await HostRig.open();
    await rig.event(await rig.spawn(logged("echo one; seq 1 20000")), "extinct");
    await rig.event(await rig.spawn(logged("echo two")), "extinct");
    rig.watch("p");
    await written("two\r\n");
    await rig.host.close();
    const output = `one\r\n${Array.from({ length: 20_000 }, (_, n) => `${n + 1}\r\n`).join("")}two\r\n`;
    expect(text()).toBe(output);
    expect(rig.log.filter((entry) => entry.level !== "debug")).toEqual([]);
  });

  test.each([
    ["by default only its owner may read", {}, 0o600],
    ["with a mode of its own", { mode: 0o664 }, 0o664],
  ])("new files: %s, whatever the umask is", async (_, log, mode) => {
    const umask = process.umask(0o027);
    try {
      await using rig = await HostRig.open();
      const run = await rig.spawn(logged("exec seq 1 2000", { max_size: 5_000, max_files: 3, ...log }));
      await rig.event(run, "extinct");
      await written("\r\n2000\r\n");
      await rig.host.close();
      const modes = ["logs/p.log", "logs/p.log.1"].map((path) => statSync(join(folder, path)).mode & 0o777);
      expect(modes).toEqual([mode, mode]);
    } finally {
      process.umask(umask);
    }
  });

  test("is rotated by size under a flood without losing a byte", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(logged("exec seq 1 400000", { max_size: 500_000, max_files: 50 }));
    const { run: end } = await rig.event(run, "extinct");
    await written("\r\n400000\r\n");
    await rig.host.close();
    const names = readdirSync(join(folder, "logs")).sort((a, b) => Number(b.split(".")[2] ?? 0) - Number(a.split(".")[2] ?? 0));
    expect(names.length).toBeGreaterThan(4);
    const files = names.map((name) => readFileSync(join(folder, "logs", name)));
    for (const file of files) expect(file.length).toBeLessThanOrEqual(500_000);
    for (const file of files) expect(file.at(-1)).toBe(0x0a);
    const whole = Buffer.concat(files).toString();
    expect(whole.length).toBe(end.final_offset);
    expect(whole).toBe(Array.from({ length: 400_000 }, (_, n) => `${n + 1}\r\n`).join(""));
  });

  test("keeps as many files as configured", async () => {
    await using rig = await HostRig.open();
    await rig.event(await rig.spawn(logged("exec seq 1 100000", { max_size: 10_000, max_files: 3 })), "extinct");
    await written("\r\n100000\r\n");
    await rig.host.close();
    expect(readdirSync(join(folder, "logs")).sort()).toEqual(["p.log", "p.log.1", "p.log.2"]);
    expect(text("logs/p.log.1") + text()).toMatch(/99999\r\n100000\r\n$/);
  });

  test("that is removed, renamed or emptied is created again", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(logged('while read word; do echo "<$word>"; done'));
    const say = (word: string) => rig.host.request("write", { session: rig.session, run_id: run.run_id, text: `${word}\n` });
    await say("one");
    await eventually(holds("logs/p.log", "<one>\r\n"));
    renameSync(join(folder, "logs/p.log"), join(folder, "moved"));
    await say("two");
    await eventually(holds("logs/p.log", "<two>\r\n"));
    expect(text("moved")).not.toContain("two");
    unlinkSync(join(folder, "logs/p.log"));
    await say("three");
    await eventually(holds("logs/p.log", "<three>\r\n"));
    expect(text()).not.toContain("two");
    rmSync(join(folder, "logs"), { recursive: true });
    await say("four");
    await eventually(holds("logs/p.log", "<four>\r\n"));
    writeFileSync(join(folder, "logs/p.log"), "");
    await say("five");
    await eventually(holds("logs/p.log", "<five>\r\n"));
    expect(text().startsWith("five\r\n")).toBe(true);
  });

  test("is continued by the next daemon", async () => {
    {
      await using rig = await HostRig.open();
      await rig.event(await rig.spawn(logged("echo one")), "extinct");
      await written("one\r\n");
    }
    await using rig = await HostRig.open();
    await rig.event(await rig.spawn(logged("echo two")), "extinct");
    await written("two\r\n");
    await rig.host.close();
    expect(text()).toBe("one\r\ntwo\r\n");
  });

  test("is closed when its run has ended", async () => {
    await using rig = await HostRig.open();
    await rig.event(await rig.spawn(logged("echo one")), "extinct");
    const { readlinkSync } = await import("node:fs");
    const open = () =>
      readdirSync("/proc/self/fd").some((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).endsWith("logs/p.log");
        } catch {
          return false;
        }
      });
    await eventually(holds("logs/p.log", "one\r\n"));
    await expect.poll(open).toBe(false);
  });
});

describe("a log file that cannot be written", () => {
  test("is reported once, the process continues, and what could be kept is written later", async () => {
    await using rig = await HostRig.open();
    mkdirSync(join(folder, "logs/p.log"), { recursive: true });
    const run = await rig.spawn(logged('echo one; while read word; do echo "<$word>"; done'));
    rig.watch("p");
    await rig.said("p", /one\r\n/);
    await rig.host.request("write", { session: rig.session, run_id: run.run_id, text: "two\n" });
    await rig.said("p", /<two>\r\n/);
    await eventually(() => rig.log.some((entry) => entry.level === "warning"));
    rmSync(join(folder, "logs/p.log"), { recursive: true });
    await eventually(() => rig.log.some((entry) => entry.msg.endsWith("is written again")));
    expect(text()).toBe("one\r\ntwo\r\n<two>\r\n");
    expect(rig.log.filter((entry) => entry.level === "warning").map((entry) => entry.msg)).toEqual([
      expect.stringMatching(/^'p': Cannot write to \/\S+ \(EISDIR.*\)\. Retrying\./),
    ]);
  });

  test("is reported when its folder cannot be made, as in /proc", async () => {
    await using rig = await HostRig.open();
    await rig.event(await rig.spawn(logged("echo one", { path: "/proc/mgr-none/p.log" })), "extinct");
    await eventually(() => rig.log.some((entry) => /^'p': Cannot write to \/proc\/mgr-none\/p\.log \(ENOENT/.test(entry.msg)));
  });

  test("does not slow the process down: /dev/full", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(logged("exec seq 1 400000", { path: "/dev/full" }));
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 0 });
    await eventually(() => rig.log.some((entry) => /\(disk full\)/.test(entry.msg)));
    expect(rig.log.filter((entry) => entry.level === "warning")).toHaveLength(1);
    expect(statSync("/dev/full").isCharacterDevice()).toBe(true);
  });

  test.runIf(isRoot)("on a full disk continues once there is room, and declares what was lost", async () => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=256k", "none", disk]);
    try {
      await using rig = await HostRig.open();
      const run = await rig.spawn(
        logged(
          "stty -echo; echo ready; while read n; do seq 1 $n; done",
          { path: "disk/p.log", max_size: 10_000_000 },
          {
            terminal: { rows: 24, cols: 80, backlog: 4_096 },
          },
        ),
      );
      rig.watch("p");
      const print = (n: number) => rig.host.request("write", { session: rig.session, run_id: run.run_id, text: `${n}\n` });
      const end = async () => (await rig.host.request("tail", { session: rig.session, name: "p", lines: 1 })).until;
      // The program turns the echo off before it prints this: text that is typed earlier would be in the file as well.
      await rig.said("p", /ready\r\n/);
      await print(1_000);
      await eventually(holds("disk/p.log", "1000\r\n"));
      await print(400_000);
      while ((await end()) < 3_000_000) await pause(20);
      await eventually(() => rig.log.some((entry) => /\(disk full\)/.test(entry.msg)));
      const before = await readFile(join(disk, "p.log"));
      execFileSync("/bin/mount", ["-o", "remount,size=16m", disk]);
      await eventually(() => rig.log.some((entry) => entry.msg.endsWith("is written again")));
      await eventually(holds("disk/p.log", "\n400000\r\n"));
      const after = await readFile(join(disk, "p.log"));
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
      const whole = after.toString();
      const [, lost] = /\n\[mgr: (\d+) bytes of output could not be written here\]\n/.exec(whole) ?? [];
      const gap = `\n[mgr: ${lost} bytes of output could not be written here]\n`;
      expect(whole.split("[mgr: ")).toHaveLength(2);
      expect(whole.length - gap.length + Number(lost)).toBe(await end());
      expect(whole.endsWith("399999\r\n400000\r\n")).toBe(true);
      expect(rig.log.filter((entry) => entry.level === "warning")).toHaveLength(1);
    } finally {
      execFileSync("/bin/umount", [disk]);
    }
  });
});
