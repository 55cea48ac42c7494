import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const running = { command: ECHO, autostart: true };
const before: Configuration = { processes: { same: running, other: running, old: running } };
const after: Configuration = { processes: { same: running, other: { ...running, cwd: "/" }, "new/one": running } };

/** Also where it has started already. */
const started = (client: Client, name: string) =>
  eventually(`'${name}' is started`, async () => {
    const { processes } = (await client.snapshot()) as unknown as { processes: { name: string; state: string }[] };
    return processes.some((process) => process.name === name && process.state === "started");
  });

describe("a changed configuration", () => {
  test("is shown by mgr plan and applied by mgr reload, which change no other process", async () => {
    await using instance = new Instance(before);
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    await started(client, "same");
    await started(client, "other");
    await started(client, "old");
    const { pid } = await client.process("same");
    expect((await instance.mgr("plan")).stdout).toBe("nothing would change; 3 processes\n");

    instance.write(after);
    const planned = "+ new/one, starts\n~ other\n    cwd: . → /\n- old, stops\n1 would be added, 1 changed, 1 removed; 1 unchanged\n";
    const reloaded = planned.replace("would be ", "").replace("starts", "started").replace("stops", "stopped");
    const needed = "these still run with their earlier configuration; restart them to apply the new one: other\n";
    expect((await instance.mgr("plan")).stdout).toBe(planned + needed);
    expect((await client.snapshot()).processes).toHaveLength(3);
    expect((await instance.mgr("reload")).stdout).toBe(reloaded + needed);
    await started(client, "new/one");
    await eventually("the removed one is gone", async () => ((await client.snapshot()).processes as object[]).length === 3);
    expect((await client.process("same")).pid).toBe(pid);
    expect(JSON.parse((await instance.mgr("reload", "--json")).stdout)).toMatchObject({ ok: true, changed: [], restart_needed: ["other"] });
    await instance.mgr("down");
  });

  test("is applied by a detached manager on SIGHUP; a bad one is reported in the log and changes nothing", async () => {
    await using instance = new Instance(before);
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    await started(client, "same");
    const messages = async () =>
      ((await client.ask({ type: "request_logs" })).entries as { msg: string }[]).map(({ msg }) => msg).join("\n");
    instance.write({ processes: { same: { comand: "x" } } });
    instance.kill("manager", "SIGHUP");
    await eventually("the bad one is told", async () => (await messages()).includes("unknown key; did you mean 'command'?"));
    expect((await client.snapshot()).processes).toHaveLength(3);
    instance.write(after);
    instance.kill("manager", "SIGHUP");
    await started(client, "new/one");
    expect(await messages()).toContain("'SIGHUP' reloads the configuration: 1 added, 1 removed, 1 changed");
    await instance.mgr("down");
  });

  test.each([
    ["cut to nothing", (path: string) => writeFileSync(path, "")],
    ["removed", (path: string) => rmSync(path)],
    [
      "a folder",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    ["no YAML", (path: string) => writeFileSync(path, "processes: {p: [")],
  ])("that is %s does not prevent 'ps', 'stop' and 'down'", async (_, spoil) => {
    await using instance = new Instance(before);
    await instance.mgr("up", "--detach");
    await started(await instance.connect(), "same");
    spoil(instance.config);
    const listed = await instance.run("ps", "-c", instance.config);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining("same") });
    expect(listed.stderr).toContain("mgr.yaml cannot be used (see: mgr check); connecting to 'e2e', which was started with it");
    expect(await instance.run("stop", "same", "-c", instance.config)).toMatchObject({ code: 0, stdout: "same: stopped\n" });
    expect((await instance.run("reload", "-c", instance.config)).code).not.toBe(0);
    expect(await instance.run("down", "-c", instance.config)).toMatchObject({ code: 0, stdout: "e2e is down\n" });
    // Without a manager there is nobody to ask.
    expect((await instance.run("ps", "-c", instance.config)).code).toBe(2);
    expect(instance.living()).toEqual([]);
  });

  test("that the next manager finds is applied: outdated processes are adopted and need a restart, removed ones are stopped", async () => {
    await using instance = new Instance(before);
    await instance.mgr("up", "--detach");
    const first = await instance.connect();
    for (const name of ["same", "other", "old"]) await started(first, name);
    const pids = await Promise.all(["same", "other", "old"].map(async (name) => (await first.process(name)).pid));
    const manager = instance.kill("manager");
    await eventually("the manager is dead", () => !isAlive(manager));
    instance.write(after);
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    await started(client, "other");
    expect([(await client.process("same")).pid, (await client.process("other")).pid]).toEqual(pids.slice(0, 2));
    await eventually("the removed one is gone", () => !isAlive(pids[2] ?? 0));
    expect(JSON.parse((await instance.mgr("plan", "--json")).stdout)).toMatchObject({ changed: [], restart_needed: ["other"] });
    await instance.mgr("restart", "other");
    expect(JSON.parse((await instance.mgr("plan", "--json")).stdout)).toMatchObject({ restart_needed: [] });
    await instance.mgr("down");
  });
});

describe("mgr check", () => {
  test("reports the problems of all files with their places, with exit code 2", async () => {
    await using instance = new Instance({ processes: {} });
    mkdirSync(join(instance.dir, "more"));
    writeFileSync(
      instance.config,
      'instance: {name: e2e, manager: "localhost:0"}\ninclude: [more/*.yaml]\nprocesses: {a: {command: x, depends_on: [b]}}\n',
    );
    writeFileSync(join(instance.dir, "more/b.yaml"), "processes:\n  b: {command: x, depends_on: [a], cwd: 5}\n");
    const { code, stderr } = await instance.run("check", "-c", instance.config);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `${join(instance.dir, "more/b.yaml")}:2:32  processes.b.depends_on[0]  the dependencies form a cycle: a → b → a`,
    );
    expect(stderr).toContain(
      `${join(instance.dir, "more/b.yaml")}:2:41  processes.b.cwd  must be the path of a folder, found the number 5`,
    );
    const json = await instance.run("check", "-c", instance.config, "--json");
    expect(JSON.parse(json.stdout).problems).toHaveLength(2);
  });
});

describe("mgr graph", () => {
  test("draws the file where no manager runs, and states where one does", async () => {
    const web = { command: ECHO, depends_on: { db: { condition: "started" } } };
    await using instance = new Instance({ processes: { web, db: { command: "sleep 1000" } } });
    expect((await instance.mgr("graph")).stdout).toMatch(/^web {2}.*\n└─ db {2}\(started\) {2}sleep 1000\n$/);
    await instance.mgr("up", "--detach", "db");
    const client = await instance.connect();
    await started(client, "db");
    expect((await instance.mgr("graph", "db")).stdout).toBe("db  [started]  sleep 1000\n");
    expect((await instance.mgr("graph", "--dot")).stdout).toContain('"web" -> "db" [label="started"];');
    expect((await instance.mgr("graph", "--mermaid")).stdout).toContain("p0 -->|started| p1");
    await instance.mgr("down");
  });
});
