import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import type { ProcessView } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { ECHO, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const call = (instance: Instance, frame: object) => instance.mgr("call", JSON.stringify(frame));
const list = async (instance: Instance) => JSON.parse((await instance.mgr("ps", "--json")).stdout) as ProcessView[];
/** For waits: a command for each look would take most of the time. */
const untilProcess = async (instance: Instance, name: string, state: string) => {
  const client = await instance.connect();
  await eventually(`'${name}' is ${state}`, async () => (await client.process(name)).state === state);
};

test("what users set of a process outlives a killed manager, and acts at the next start", async () => {
  await using instance = await Instance.up({
    processes: { one: { command: ["sleep", "1000"], alternate_commands: { other: ["sleep", "2000"] } } },
  });
  await call(instance, { type: "set_process_alternate_command_override", name: "one", which: "other", override: "sleep 3000" });
  await call(instance, { type: "set_process_current_alternate_command", name: "one", which: "other" });
  await call(instance, { type: "set_process_attribute", name: "one", attribute: "svc_debug", value: true });
  instance.kill("manager");
  await instance.foreground.ended;

  await instance.start("up", "-c", instance.config).up();
  const [process] = await list(instance);
  expect(process).toMatchObject({ current_alternate_command: "other", current_command: "sleep 3000", svc_debug: true });
  await instance.mgr("start", "one");
  const pid = (await list(instance))[0]?.pid;
  await eventually("the program runs", () => readFileSync(`/proc/${pid}/cmdline`, "utf8") === "sleep\x003000\0");
  await expect.poll(() => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")).toContain("MGR_DEBUG=1");
});

describe("essential: true", () => {
  test.each([
    ["exit code", "exit 7", 7],
    ["signal, as shells write it", "kill -9 $$$$", 137],
  ])("its failure stops everything and ends mgr up with its %s", async (_what, script, code) => {
    await using instance = await Instance.up({
      processes: {
        bystander: { command: ["sleep", "1000"], autostart: true },
        vital: { command: sh(`read go; ${script}`), essential: true, autostart: true },
      },
    });
    await untilProcess(instance, "vital", "started");
    await untilProcess(instance, "bystander", "started");
    await call(instance, { type: "send_stdin", name: "vital", text: "\n" });
    const outcome = await instance.foreground.ended;
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain("essential process 'vital' failed");
    await instance.untilExtinct();
  });
});

describe("mgr up for a job", () => {
  const bystander = { command: ["sleep", "1000"], autostart: true };

  test.each([
    ["exit code", "exit 0", 0],
    ["failure", "exit 9", 9],
    ["signal", "kill -9 $$$$", 137],
  ])("--exit-with starts the process, and its %s is that of the command", async (_what, script, code) => {
    await using instance = new Instance({ processes: { bystander, "ci/tests": { command: sh(script), depends_on: ["bystander"] } } });
    const outcome = await instance.run("up", "-c", instance.config, "--exit-with", "ci/tests");
    expect(outcome).toMatchObject({ code, stderr: expect.stringContaining("process 'ci/tests' ended") });
    await instance.untilExtinct();
  });

  test("--exit-with a process whose dependency fails ends it, too; one that is not configured is exit code 3", async () => {
    await using instance = new Instance({
      processes: { db: { command: sh("exit 5") }, tests: { command: "true", depends_on: { db: { condition: "completed" } } } },
    });
    const outcome = await instance.run("up", "-c", instance.config, "--exit-with", "tests");
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain("process 'tests' ended");
    await instance.untilExtinct();
    expect(await instance.run("up", "-c", instance.config, "--exit-with", "nobody")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no process 'nobody'"),
    });
  });

  test("--abort-on-failure ends it with the exit code of the first process that fails; success does not end it", async () => {
    await using instance = await Instance.up(
      {
        processes: {
          bystander,
          job: { command: sh("exit 0"), autostart: true },
          fails: { command: sh("read go; exit 4"), autostart: true },
        },
      },
      "--abort-on-failure",
    );
    const client = await instance.connect();
    await eventually("the job is done", async () => (await client.process("job")).exit?.code === 0);
    await untilProcess(instance, "fails", "started");
    await call(instance, { type: "send_stdin", name: "fails", text: "\n" });
    expect(await instance.foreground.ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("process 'fails' failed (exit code 4)"),
    });
    await instance.untilExtinct();
  });
});

describe("commands for one process", () => {
  test("mgr signal, wait, attach and log", async () => {
    await using instance = await Instance.up({
      processes: {
        echo: { command: ECHO, autostart: true },
        traps: { command: sh("trap 'echo got usr1' USR1; echo listening; while :; do read line; done"), ready: { regex: "listening" } },
        fails: { command: sh("exit 3") },
      },
    });
    expect((await instance.mgr("wait", "echo", "--for", "started")).stdout).toBe("echo: started\n");
    await instance.mgr("start", "--no-wait", "traps");
    expect((await instance.mgr("wait", "traps", "echo")).stdout).toBe("traps: ready\necho: started\n");

    await instance.mgr("signal", "usr1", "traps");
    const client = await instance.connect();
    const output = async () => String((await client.ask({ type: "get_process_output", name: "traps" })).output);
    await eventually("it is told", async () => (await output()).includes("got usr1"));
    expect((await instance.mgr("logs", "traps")).stdout).toContain("got usr1");
    expect((await instance.run("signal", "-c", instance.config, "nonsense", "traps")).code).toBe(2);
    expect((await instance.run("signal", "-c", instance.config, "hup", "fails")).code).toBe(1);

    await instance.run("start", "-c", instance.config, "fails");
    expect((await instance.run("wait", "-c", instance.config, "fails", "--for", "ready")).code).toBe(1);
    expect((await instance.mgr("wait", "fails", "--for", "error")).stdout).toBe("fails: error (exit code 3)\n");
    expect((await instance.run("wait", "-c", instance.config, "echo", "--for", "stopped", "--timeout", "0.2")).code).toBe(4);

    const attached = await instance.mgr("attach", "echo");
    expect(attached.stdout).toContain("hello");
    expect((await instance.run("attach", "-c", instance.config, "*s*")).code).toBe(2);

    const { stdout } = await instance.mgr("log", "--level", "warning");
    expect(stdout).toContain(
      `warning manager: 'send_signal' of 'local:${userInfo().username}' is refused: process 'fails' is not running\n`,
    );
    const entries = (await instance.mgr("log", "--json", "-n", "2")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number });
    expect(entries).toHaveLength(2);
  });
});
