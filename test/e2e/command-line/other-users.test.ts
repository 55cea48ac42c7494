import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { Instance, PROGRAM } from "../support/instance.ts";

const OTHER_USER = 65_534;
const PROCESSES = { clock: { command: "echo tick; exec sleep 1000", ready: { regex: "tick" } } };

/** A command of another user, or of one with another home. */
async function run(args: string[], { cwd, ...environment }: { cwd: string } & Record<string, string>, uid = process.geteuid?.() ?? 0) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    uid,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: child.exitCode, stdout, stderr };
}

test("a user who may not see another user's manager learns who runs it, and to use --url", async () => {
  await using instance = await Instance.up({ processes: PROCESSES });
  const folder = mkdtempSync(join(tmpdir(), "mgr-other-"));
  try {
    chmodSync(folder, 0o755);
    const config = join(folder, "mgr.yaml");
    writeFileSync(config, `instance: {name: e2e, manager: "${new URL(instance.url).host}", webui_auth_file: webui.keys}\nprocesses: {}\n`);
    copyFileSync(instance.authFile, join(folder, "webui.keys"));
    chmodSync(join(folder, "webui.keys"), 0o600);
    const { code, stderr } = await run(["ps", "-c", config], { cwd: folder, HOME: folder }, OTHER_USER);
    expect(code).toBe(1);
    expect(stderr).toContain(`user '${userInfo().username}' runs the manager of 'e2e'`);
    expect(stderr).toContain(`--url http://localhost:${new URL(instance.url).port}`);
    expect(stderr).not.toContain("is not running");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([[["up"]], [["up", "--detach"]], [["daemon", "--host", "x", "--bus", "ws://localhost:1"]]])(
  "%j with a home where no folder can be created says so in a sentence",
  async (args) => {
    const folder = mkdtempSync(join(tmpdir(), "mgr-home-"));
    try {
      writeFileSync(join(folder, "mgr.yaml"), "instance: {name: t, manager: 'localhost:0'}\nprocesses: {a: {command: sleep 1}}\n");
      const home = join(folder, "mgr.yaml", "home");
      const { code, stderr } = await run(args, { cwd: folder, HOME: home });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^mgr: .*mgr\.yaml is not a folder; remove it, or choose another state folder\n$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test("mgr up beside a manager of the same file starts NAMES and follows the output; with another file it is an error", async () => {
  await using instance = await Instance.up({ processes: PROCESSES });
  const second = instance.start("up", "clock", "-c", instance.config);
  await instance.mgr("wait", "clock", "--for", "ready");
  await expect.poll(() => second.stdout, { timeout: 60_000 }).toMatch(/clock \| tick/);
  expect(second.stdout).toContain("e2e is already running; its output follows");
  second.child.kill("SIGINT");
  expect((await second.ended).code).toBe(0);
  expect((await instance.mgr("ps")).stdout).toMatch(/clock +ready/);
  expect(await instance.run("up", "--detach", "-c", instance.config)).toMatchObject({ code: 0, stdout: "e2e is already running\n" });

  const other = join(instance.dir, "other.yaml");
  copyFileSync(instance.config, other);
  const refused = await instance.run("up", "-c", other);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`with another configuration: ${instance.config}`);
});

test("ps --json has CPU and memory of what runs", async () => {
  await using instance = await Instance.up({ processes: PROCESSES });
  const [idle] = JSON.parse((await instance.mgr("ps", "--json")).stdout) as object[];
  expect(idle).toMatchObject({ name: "clock", cpu_percent: null, memory_rss: null });
  await instance.mgr("start", "clock");
  // Requests within half a second share a sample.
  const running = async () => (JSON.parse((await instance.mgr("ps", "--json")).stdout) as object[])[0];
  await expect.poll(running).toMatchObject({ cpu_percent: expect.any(Number), memory_rss: expect.any(Number) });
});

test.each([
  [["help", "nosuch"], "error: unknown command 'nosuch'\n(see mgr --help)\n"],
  [["help", "topic", "lst"], "error: unknown command 'lst'; did you mean 'list'?\n(see mgr topic --help)\n"],
  [["statr"], "error: unknown command 'statr'; did you mean 'start'?\n(see mgr --help)\n"],
  [["kill"], "error: unknown command 'kill'\n(see mgr --help)\n"],
])("%j names the unknown command, and one that is near or none", async (args, stderr) => {
  expect(await run(args, { cwd: tmpdir() })).toEqual({ code: 2, stdout: "", stderr });
});

test("mgr help describes the command of all its words", async () => {
  const { code, stdout } = await run(["help", "topic", "hz"], { cwd: tmpdir() });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: mgr topic hz /);
  expect(await run(["topic", "hz", "--help"], { cwd: tmpdir() })).toMatchObject({ stdout });
});

test("in a folder that was removed, a command says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-removed-"));
  const script = 'rmdir "$PWD"; exec "$0" "$@"';
  const child = spawn("/bin/sh", ["-c", script, process.execPath, PROGRAM, "ps"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const [stderr] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(child.exitCode).toBe(1);
  expect(stderr).toMatch(/^mgr: the current folder cannot be used \(ENOENT\): .*; change to another one with cd\n$/);
});
