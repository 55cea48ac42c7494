import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { Instance, PROGRAM } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples", import.meta.url));
const SCRIPT = join(EXAMPLES, "scripts/control.js");
const run = promisify(execFile);

test("a short script with nothing but ws logs in, takes a snapshot, starts a process, types into it, reads it and stops it", async () => {
  await using instance = await Instance.up({ processes: { "tools/echo": { command: ECHO }, other: { command: "sleep 1000" } } });
  const { user, password, url } = instance;
  const { stdout } = await run(process.execPath, [SCRIPT, url, user, password, "tools/echo"], { timeout: 240_000 });

  const lines = stdout.trim().split("\n");
  expect(lines[0]).toBe("2 processes");
  expect(lines.filter((line) => line.startsWith("tools/echo is "))).toEqual(
    ["starting", "started", "stopping", "stopped"].map((state) => `tools/echo is ${state}`),
  );
  const output = lines.filter((line) => line.startsWith('"')).map((line) => JSON.parse(line) as string);
  expect(output.join("")).toContain("hello\r\n");
  expect(output.join("")).toContain("you typed hello\r\n");
});

test("the script has twenty lines", () => {
  const lines = readFileSync(SCRIPT, "utf8").split("\n");
  expect(lines.filter((line) => line.trim() !== "" && !line.startsWith("//"))).toHaveLength(20);
});

test("Python with Debian's websockets does the same, and reads the log over HTTP", async () => {
  await using instance = await Instance.up({ processes: { "tools/echo": { command: ECHO } } });
  const { user, password, url } = instance;
  const script = join(EXAMPLES, "scripts/control.py");
  // Debian's own Python: another one on PATH does not see Debian's packages.
  const { stdout } = await run("/usr/bin/python3", [script, url, user, password, "tools/echo"], { timeout: 240_000 });
  expect(stdout).toMatch(/^1 processes on /);
  expect(stdout).toContain("you typed hello");
  expect(stdout).toMatch(/process 'tools\/echo' changes state from 'stopping' to 'stopped'\n$/);
});

test("the Python script prints its usage, and passes the login to versions of websockets before and since 14", async () => {
  await using folder = new Instance({ processes: {} });
  const script = join(EXAMPLES, "scripts/control.py");
  const python = (args: string[], env: NodeJS.ProcessEnv = process.env) =>
    run("/usr/bin/python3", [script, ...args], { env, timeout: 240_000 }).then(
      ({ stderr }) => stderr,
      ({ code, stderr }: { code: number; stderr: string }) => `${code}: ${stderr}`,
    );
  expect(await python([])).toMatch(/^1: Controls a manager [\s\S]*control\.py http:\/\/localhost:8130 USER PASSWORD PROCESS/);

  // A stand-in for the package: its `connect` takes one of the two options only.
  for (const option of ["extra_headers", "additional_headers"]) {
    writeFileSync(
      join(folder.dir, "websockets.py"),
      `import sys\ndef connect(uri, *, max_size, ${option}):\n    sys.exit(f"${option} {${option}['Authorization']}")\n`,
    );
    const said = await python(["http://localhost:1", "me", "secret", "p"], { ...process.env, PYTHONPATH: folder.dir });
    expect(said).toBe(`1: ${option} Basic ${btoa("me:secret")}\n`);
  }
});

test("a shell script with curl and the mgr command controls a process and fetches log, metrics and archive", async () => {
  await using instance = await Instance.up({ processes: { "tools/echo": { command: ECHO } } });
  const passwordFile = join(instance.dir, "password.txt");
  writeFileSync(passwordFile, `${instance.password}\n`, { mode: 0o600 });
  const { stdout } = await run("/bin/sh", [join(EXAMPLES, "scripts/control.sh"), "tools/echo"], {
    cwd: instance.dir,
    env: { PATH: pathWithMgr(instance.dir), MGR_URL: instance.url, MGR_USER: instance.user, MGR_PASSWORD_FILE: passwordFile },
    timeout: 240_000,
  });
  expect(stdout).toContain("tools/echo: started\n");
  expect(stdout).toContain("you typed hello");
  expect(stdout).toMatch(/^pid \d+$/m);
  expect(stdout).toContain("tools/echo: stopped\n");
  expect(stdout).toContain("process 'tools/echo' changes state from 'stopping' to 'stopped'");
  expect(readFileSync(join(instance.dir, "all.tar.bz2")).subarray(0, 3).toString()).toBe("BZh");
});

test.each([
  ["passes", "", 0],
  ["fails with the exit code of its tests", "exit 7", 7],
])("the CI job of examples/ci %s", async (_what, lastLine, code) => {
  await using instance = new Instance({ processes: {} });
  const dir = join(instance.dir, "ci");
  cpSync(join(EXAMPLES, "ci"), dir, { recursive: true });
  writeFileSync(join(dir, "tests.sh"), `${readFileSync(join(dir, "tests.sh"), "utf8")}${lastLine}\n`);
  const { jobs } = parse(readFileSync(join(dir, "workflow.yml"), "utf8")) as { jobs: { tests: { steps: { run: string }[] } } };
  const [tests, logs] = jobs.tests.steps.map((step) => ["-ec", step.run]);
  const options = { cwd: dir, env: { PATH: pathWithMgr(instance.dir), HOME: instance.dir }, timeout: 240_000 };
  const outcome = await run("/bin/sh", tests, options).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(outcome).toMatchObject({ code, stderr: expect.stringContaining("process 'tests' ended") });
  const { stdout } = await run("/bin/sh", logs, options);
  expect(stdout).toContain("POST /entries");
  expect(stdout).toContain("2 tests passed");
});

/** A PATH on which the built program is `mgr`. */
function pathWithMgr(dir: string): string {
  const bin = join(dir, "bin");
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, "mgr"));
  return `${bin}:${process.env.PATH}`;
}
