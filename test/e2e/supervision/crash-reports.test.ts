import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

/** Reads address 0. */
const SEGFAULT = "echo about to crash; exec /usr/bin/python3 -c 'import ctypes; ctypes.string_at(0)'";
/** Colours, a title of the terminal, and a line that pretends to be another. */
const HOSTILE = "printf '\\033[31mred\\033[0m \\033]0;evil\\007 end\\r\\n'; exit 3";
const REPORT_EVERY_MS = 10_000;

interface Summary {
  readonly name: string;
  readonly run_id: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly skipped: number;
}

const reportsOf = async (client: Client, ...names: string[]) =>
  (await client.ask({ type: "request_crash_reports", ...(names.length === 0 ? {} : { names }), limit: 1_000 })).reports as Summary[];
const untilReported = (client: Client, name: string) =>
  client.until(`a report of ${name}`, ({ type, report }) => type === "crash_report_made" && (report as Summary).name === name, 0);
const reportOf = async (client: Client, name: string) =>
  (await client.ask({ type: "request_crash_report", name })).report as Record<string, unknown> & Summary;

test("a run that fails gets a report, which outlives a killed manager and a killed daemon; a requested stop gets none", async () => {
  await using instance = new Instance({
    processes: {
      segfault: { command: SEGFAULT },
      killed: { command: "echo runs; exec sleep 1000", autostart: true },
      stopped: { command: "exec sleep 1000", autostart: true },
      fine: { command: "exit 7", success_exit_codes: [0, 7] },
      "deep/er/three": { command: HOSTILE },
      missing: { command: ["/does/not/exist"] },
      loop: { command: "echo boom; exit 4", restart: { policy: "always", delay: 0.1, factor: 1, max_restarts: 1_000 } },
    },
  });
  await instance.mgr("up", "--detach");
  const client = await instance.connect();
  const focused = await instance.connect("?single_process=deep/er/three");
  for (const name of ["killed", "stopped"]) await eventually(`${name} runs`, async () => (await client.process(name)).state === "started");

  // It is started before its shell has said anything.
  await eventually("it has said that it runs", async () =>
    String((await client.ask({ type: "get_process_output", name: "killed" })).output).endsWith("runs\r\n"),
  );

  const begun = Date.now();
  for (const name of ["segfault", "fine", "deep/er/three", "missing", "loop"]) await client.command({ type: "start_process", name });
  await client.command({ type: "stop_process", name: "stopped" });
  process.kill((await client.process("killed")).pid ?? expect.fail("it does not run"), "SIGKILL");
  for (const name of ["segfault", "killed", "deep/er/three", "missing", "loop"]) await untilReported(client, name);
  await eventually("the requested stop is over", async () => (await client.process("stopped")).state === "stopped");
  await eventually("a success has ended", async () => (await client.process("fine")).exit?.code === 7);

  const segfault = await reportOf(client, "segfault");
  expect(segfault).toMatchObject({ signal: "SIGSEGV", code: null, number: 1, output: { text: expect.stringContaining("about to crash") } });
  expect(segfault.limits).toMatchObject({ core: expect.any(Object), nofile: expect.any(Object) });
  // Lines of the kernel, or the reason why there are none: this may run in a container.
  expect(segfault.kernel).toMatchObject({ lines: expect.any(Array) });
  expect(await reportOf(client, "killed")).toMatchObject({ signal: "SIGKILL", cwd: instance.dir, output: { text: "runs\r\n" } });
  expect(await reportOf(client, "deep/er/three")).toMatchObject({
    code: 3,
    output: { text: "\x1b[31mred\x1b[0m \x1b]0;evil\x07 end\r\r\n" },
  });
  expect(await reportOf(client, "missing")).toMatchObject({
    pid: null,
    start_time: null,
    output: null,
    reason: expect.stringContaining("/does/not/exist"),
  });
  expect(await reportsOf(client, "stopped", "fine")).toEqual([]);

  await eventually("the loop has crashed ten times", async () => (await client.process("loop")).restarts >= 10);
  await client.command({ type: "stop_process", name: "loop" });
  const intervals = Math.ceil((Date.now() - begun) / REPORT_EVERY_MS);
  expect((await reportsOf(client, "loop")).length).toBeLessThanOrEqual(1 + intervals);

  expect((await reportsOf(focused)).map(({ name }) => name)).toEqual(["deep/er/three"]);
  expect(await focused.ask({ type: "request_crash_report", name: "killed" })).toMatchObject({ type: "error", code: "out_of_scope" });
  await untilReported(focused, "deep/er/three");
  expect(focused.frames.filter(({ type, report }) => type === "crash_report_made" && (report as Summary).name !== "deep/er/three")).toEqual(
    [],
  );

  await commandLine(instance);

  const before = await reportsOf(client, "segfault", "killed", "deep/er/three", "missing");
  instance.kill("manager");
  instance.kill("daemon");
  await eventually("both are dead", () => instance.pidOf("manager") === null && instance.pidOf("daemon") === null);
  const folder = join(instance.stateDir, "crash-reports");
  const secret = join(instance.dir, "secret");
  writeFileSync(secret, "secret");
  symlinkSync(secret, join(folder, `${"0".repeat(32)}-1-1.crash`));
  await instance.mgr("up", "--detach");
  const next = await instance.connect();
  // They are started again, as before the kill, and crash again: that adds reports.
  const after = await eventually("its host answers", async () => {
    const found = await reportsOf(next, "segfault", "killed", "deep/er/three", "missing");
    return found.length > 0 ? found : null;
  });
  expect(after.map(({ run_id }) => run_id)).toEqual(expect.arrayContaining(before.map(({ run_id }) => run_id)));
  expect(readFileSync(secret, "utf8")).toBe("secret");
  for (const file of readdirSync(folder)) {
    // The reports of now are made beside, under another name at first.
    const found = statSync(join(folder, file), { throwIfNoEntry: false });
    if (!file.startsWith("000") && found !== undefined) expect(found.mode & 0o777).toBe(0o600);
  }
}, 480_000);

async function commandLine(instance: Instance): Promise<void> {
  expect((await instance.mgr("crash")).stdout).toMatch(/^TIME .*\n(.*\n)*.* deep\/er\/three +1 .*exit code 3$/m);
  const text = (await instance.mgr("crash", "deep/er/three")).stdout;
  expect(text).toMatch(/^deep\/er\/three: exit code 3\n/);
  expect(text).toContain("Last output\n  red  end");
  expect(text).not.toContain("\x1b");
  const [listed] = JSON.parse((await instance.mgr("crash", "killed", "--list", "--json")).stdout) as Summary[];
  expect(listed).toMatchObject({ name: "killed", signal: "SIGKILL" });
  expect(JSON.parse((await instance.mgr("crash", "killed", "1", "--json")).stdout)).toMatchObject({ run_id: listed?.run_id });
  const file = join(instance.dir, "crash.json");
  await instance.mgr("crash", "killed", listed?.run_id ?? "", "--save", file);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ name: "killed" });
  expect((await instance.run("crash", "stopped")).code).toBe(3);
  expect((await instance.run("crash", "killed", "99")).code).toBe(3);
  expect((await instance.run("crash", "kiled", "--list")).stderr).toContain("killed");
  expect((await instance.run("crash", "killed", "x")).code).toBe(2);
  expect((await instance.run("crash", "--delete")).code).toBe(2);
  expect((await instance.mgr("crash", "loop", "--delete")).stdout).toMatch(/^\d+ crash reports deleted/);
  expect(existsSync(file)).toBe(true);
}
