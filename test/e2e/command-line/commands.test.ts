import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conforms, frameConforms } from "../../contract/check.ts";
import type { ProcessView } from "../support/client.ts";
import { Instance, PROGRAM } from "../support/instance.ts";
import { ECHO, READY_WHEN_TYPED, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

let instance: Instance;

beforeAll(async () => {
  instance = new Instance({
    processes: {
      "web/one": { command: ECHO, autostart: true },
      "web/two": { command: ECHO },
      db: { command: READY_WHEN_TYPED, ready: { regex: "listening" } },
      job: { command: sh("seq 1 100; exit 0") },
      fails: { command: "./no-such-program" },
    },
  });
  const { stdout } = await instance.mgr("up", "--detach");
  expect(stdout).toMatch(/^e2e is up at http:\/\/localhost:\d+ \(pid \d+\)/);
});
afterAll(() => instance?.[Symbol.asyncDispose]());

const list = async (...names: string[]) => JSON.parse((await instance.mgr("ps", "--json", ...names)).stdout) as ProcessView[];

describe("mgr ps", () => {
  test("lists names, states and pids; without a terminal without colours", async () => {
    await eventually("it runs", async () => (await list("web/one"))[0]?.state === "started");
    const { stdout, stderr } = await instance.mgr("ps");
    const [process] = await list("web/one");
    expect(stdout.split("\n").find((line) => line.includes("web/one"))).toMatch(new RegExp(`started\\s+${process?.pid}\\b`));
    expect(`${stdout}${stderr}`).not.toContain("\x1b");
  });

  test("--json prints the protocol's process objects", async () => {
    const processes = await list();
    expect(processes.map(({ name }) => name)).toEqual(["web/one", "web/two", "db", "job", "fails"]);
    // With their load, schedule and replicas beside.
    const objects = processes.map(
      ({ cpu_percent: _cpu, memory_rss: _memory, schedule: _schedule, replicas: _replicas, ...process }) => process,
    );
    expect(objects.flatMap((process) => conforms("process", process))).toEqual([]);
  });

  test("picks by names, groups and patterns", async () => {
    expect((await list("web")).map(({ name }) => name)).toEqual(["web/one", "web/two"]);
    expect((await list("*o*")).map(({ name }) => name)).toEqual(["web/one", "web/two", "job"]);
  });
});

describe("mgr start, stop and restart", () => {
  test("wait for the end of what they request, and report the result", async () => {
    expect((await instance.mgr("start", "web")).stdout).toContain("web/two: started");
    const [before] = await list("web/two");
    expect((await instance.mgr("restart", "web/two")).stdout).toContain("web/two: started");
    const [after] = await list("web/two");
    expect(after?.pid).not.toBe(before?.pid);
    expect((await instance.mgr("stop", "web/*")).stdout).toContain("web/two: stopped");
    expect((await list("web")).map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  });

  test("of a job that ends at once is done with its end; of one that cannot be started is exit code 1, with the reason", async () => {
    await instance.mgr("start", "job");
    const failed = await instance.run("start", "fails", "-c", instance.config);
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stdout).toContain("fails: error");
    expect(failed.stdout).toContain("no-such-program");
  });

  test("of one that does not get there in time is exit code 4, with --no-wait it is accepted at once", async () => {
    await instance.mgr("stop", "db");
    const late = await instance.run("start", "db", "--timeout", "0.3", "-c", instance.config);
    expect(late).toMatchObject({ code: 4 });
    await instance.mgr("restart", "--no-wait", "db");
    const client = await instance.connect();
    await eventually("it can be typed to", async () => {
      await client.ask({ type: "send_stdin", name: "db", text: "go\n" });
      return (await client.process("db")).state === "ready";
    });
    await instance.mgr("stop", "db");
  });
});

describe("mgr logs", () => {
  test("prints the last lines, with the name of their process if there are several", async () => {
    await eventually("the job is done", async () => (await list("job"))[0]?.state === "stopped");
    expect((await instance.mgr("logs", "-n", "3", "job")).stdout).toBe("98\r\n99\r\n100\r\n");
    const both = await instance.mgr("logs", "-n", "2", "job", "web/one");
    expect(both.stdout).toContain("job     | 100\n");
    expect(both.stdout).toContain("web/one | hello\n");
  });

  test("-f continues with new output, without repetition, until it is interrupted", async () => {
    const client = await instance.connect();
    const end = async () => Number((await client.ask({ type: "get_process_output", name: "web/one", lines: 1 })).offset);
    const before = await end();
    await instance.mgr("restart", "web/one");
    await eventually("it has said hello", async () => (await end()) >= before + "hello\r\n".length);
    const following = instance.start("logs", "-f", "-n", "1", "web/one", "-c", instance.config);
    await eventually("it has begun", () => following.stdout.includes("hello"));
    for (const word of ["first", "second"]) {
      await client.command({ type: "send_stdin", name: "web/one", text: `${word}\n` });
      await eventually(`it goes on with ${word}`, () => following.stdout.includes(`you typed ${word}\r\n`));
    }
    following.child.kill("SIGINT");
    const { code, stdout } = await following.ended;
    expect(code).toBe(0);
    expect(stdout.match(/you typed/g)).toHaveLength(2);
    expect(stdout.match(/hello/g)).toHaveLength(1);
  });
});

describe("--json", () => {
  const read = async (...args: [string, ...string[]]) => JSON.parse((await instance.mgr(...args)).stdout) as never;

  test("prints what the pages of the commands document, and nothing else", async () => {
    const hosts: Record<string, unknown>[] = await read("hosts", "--json");
    expect(hosts.flatMap((host) => conforms("host", host))).toEqual([]);
    const { stdout } = await instance.mgr("log", "--json", "-n", "5");
    const entries = stdout.trim().split("\n");
    expect(entries).toHaveLength(5);
    expect(entries.flatMap((line) => conforms("log entry", JSON.parse(line)))).toEqual([]);
    const keys = [
      "added",
      "changed",
      "differences",
      "hosts",
      "manager_restart_needed",
      "ok",
      "problems",
      "removed",
      "restart_needed",
      "settings",
      "starts",
      "stops",
      "unchanged",
    ];
    for (const command of ["plan", "reload"]) expect(Object.keys(await read(command, "--json")).toSorted()).toEqual(keys);
    const [first]: Record<string, unknown>[] = await read("graph", "--json");
    expect(Object.keys(first ?? {})).toEqual(["name", "command", "state", "waiting_for", "depends_on"]);
    expect(await read("check", "--json")).toEqual({ ok: true, problems: [], processes: ["web/one", "web/two", "db", "job", "fails"] });
    const bad = await instance.run("check", "--json", "-c", "nope.yaml");
    expect(bad.code).toBe(2);
    const answer = JSON.parse(bad.stdout) as { problems: Record<string, unknown>[] };
    expect(answer).toMatchObject({ ok: false, processes: [] });
    expect(Object.keys(answer.problems[0] ?? {}).toSorted()).toEqual(["column", "excerpt", "file", "line", "message", "path"]);
  });

  test("of a watched list is one line each, without control sequences", async () => {
    await instance.mgr("stop", "db");
    const watching = instance.start("ps", "--json", "--watch", "db", "-c", instance.config);
    await eventually("the first list", () => watching.stdout.includes("\n"));
    await instance.mgr("start", "--no-wait", "db");
    const states = () =>
      watching.stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as ProcessView[])[0]?.state);
    await eventually("the change", () => states().includes("started"));
    await instance.mgr("stop", "db");
    watching.child.kill("SIGINT");
    expect((await watching.ended).code).toBe(0);
    expect(states()[0]).toBe("stopped");
  });
});

test("output that cannot be written is an error; a reader that has closed is not", async () => {
  const shell = (line: string) =>
    promisify(execFile)("/bin/bash", ["-c", line], { env: instance.environment }).catch((error: object) => error);
  const command = `"${process.execPath}" "${PROGRAM}" ps -c "${instance.config}"`;
  expect(await shell(`${command} > /dev/full`)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^mgr: cannot write the output: .*ENOSPC/),
  });
  expect(await shell(`${command} | true; exit \${PIPESTATUS[0]}`)).toMatchObject({ stdout: "", stderr: "" });
});

describe("mgr call", () => {
  test("sends any frame and prints its answer", async () => {
    const { stdout } = await instance.mgr("call", '{"type":"get_process_output","name":"job","lines":1}');
    expect(frameConforms(JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ type: "process_output_snapshot", name: "job", output: "100\r\n" });
  });

  test("prints refusals, with the exit code of their kind", async () => {
    for (const [frame, code, error] of [
      ['{"type":"make_tea"}', 2, "unknown_action"],
      ['{"type":"start_process","name":"no such"}', 3, "not_found"],
      ['{"type":"send_signal","name":"fails","signal":"SIGHUP"}', 1, "not_running"],
    ] as const) {
      const outcome = await instance.run("call", frame, "-c", instance.config);
      expect(outcome.code, frame).toBe(code);
      expect(JSON.parse(outcome.stdout)).toMatchObject({ type: "error", code: error });
      expect(outcome.stderr).toMatch(/^mgr: .+\n$/);
    }
  });
});

test("mgr logs without names prints the output of all, of the time given with --since", async () => {
  await instance.mgr("start", "job", "web/one");
  const { stdout } = await instance.mgr("logs", "--since", "1h");
  expect(stdout).toMatch(/^web\/one \| hello$/m);
  expect(stdout).toMatch(/^job {5}\| 1$[\s\S]*^job {5}\| 100$/m);
  expect((await instance.run("logs", "--since", "later", "-c", instance.config)).code).toBe(2);
});

describe("credentials", () => {
  test("user and password come from the auth file or a password file; a wrong one is refused", async () => {
    expect((await instance.mgr("ps", "--user", instance.user)).stdout).toContain("web/one");
    const file = `${instance.dir}/password`;
    writeFileSync(file, `${instance.password}\n`);
    const byUrl = await instance.run("ps", "--url", instance.url, "--user", instance.user, "--password-file", file);
    expect(byUrl).toMatchObject({ code: 0 });
    writeFileSync(file, "wrong\n");
    const wrong = await instance.run("ps", "--url", instance.url, "--user", instance.user, "--password-file", file);
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.stderr).toMatch(/401|password/);
    expect(wrong.stderr).not.toContain("    at ");
  });

  test("mgr check reports that a good configuration is good", async () => {
    expect((await instance.mgr("check")).code).toBe(0);
  });
});
