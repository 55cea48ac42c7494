import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createManager, type EmbeddedManager, type Process } from "../../../src/app/index.ts";
import type { ClientFrame, ManagerFrame } from "../../../src/protocol/frames/frames.ts";

const NAME = "sim/world";
const SLEEP = "sleep 1000";
let folder: string;
let manager: EmbeddedManager;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "mgr-commands-")));
  writeFileSync(join(folder, "values.env"), "FROM_FILE=it's 1 $HOME\nEMPTY=\n");
  manager = await createManager(
    {
      instance: { start_tools: [{ value: "timer", label: "with env", command: "env WRAPPED=1 {command}" }] },
      processes: {
        [NAME]: {
          command: SLEEP,
          alternate_commands: { debug: "sleep 2000", shell: "sleep 3000; true" },
          environment: { MODE: "fast", QUOTED: `a'b "c" $d\n`, API_TOKEN: "hush" },
        },
        configured: { command: SLEEP, start_tool: "timer" },
        byHand: {
          command: ["sleep", "1000.5", "1"],
          cwd: ".",
          umask: "027",
          limits: { nofile: 512, core: 0, nproc: 5_000 },
          env_file: "values.env",
          environment: { QUOTED: `a'b "c" $d\n\\`, "odd-name": "x y" },
        },
        polite: { command: ["sleep", "1000.25"], scheduling: { nice: 15 } },
        shellLine: { command: "sleep 1000 & wait $!", environment: { MODE: "$x" } },
      },
    },
    { baseDir: folder },
  );
});
afterAll(async () => {
  await manager?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const send = (frame: ClientFrame) => manager.client.request(frame);
const get = (name = NAME): Promise<Process> => manager.process(name).get();
const argvOf = (pid: number | null) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
const environOf = (pid: number | null) =>
  new Map(
    readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .filter((line) => line !== "")
      .map((line): [string, string] => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
/** The pid, once the program itself runs and not the shell that sets its limits. */
async function programOf({ pid }: Process): Promise<number> {
  // For a moment after its start a process has no arguments at all, then those of the shell and of the env(1) that prepare it.
  await expect.poll(() => argvOf(pid).join(" "), { timeout: 60_000 }).toMatch(/^(?!\/usr\/bin\/env )(?!.*exec "\$@")./s);
  return pid ?? 0;
}
const startedPid = async (name = NAME) => programOf(await manager.process(name).start());
const restartedPid = async () => programOf(await manager.process(NAME).restart());

afterEach(async () => {
  await manager.process(NAME).stop();
  for (const which of ["default", "debug", "shell"])
    await send({ type: "set_process_alternate_command_override", name: NAME, which, override: null });
  await send({ type: "set_process_current_alternate_command", name: NAME, which: "default" });
  await send({ type: "set_process_attribute", name: NAME, attribute: "start_tool", value: null });
  await send({ type: "set_process_attribute", name: NAME, attribute: "svc_debug", value: null });
  await send({ type: "set_process_attribute", name: "configured", attribute: "start_tool", value: null });
});

describe("commands", () => {
  test("the selected one is shown at once and used from the next start on", async () => {
    const before = await startedPid();
    await send({ type: "set_process_current_alternate_command", name: NAME, which: "debug" });
    expect(await get()).toMatchObject({ current_alternate_command: "debug", current_command: "sleep 2000", pid: before });
    expect(await get()).toMatchObject({ running_command: SLEEP, needs_restart: true });
    expect(argvOf(before)).toEqual(["sleep", "1000"]);
    const pid = await restartedPid();
    expect(argvOf(pid)).toEqual(["sleep", "2000"]);
    expect(await get()).toMatchObject({ running_command: "sleep 2000", needs_restart: false });
    // Selecting what runs again undoes it.
    await send({ type: "set_process_current_alternate_command", name: NAME, which: "default" });
    expect(await get()).toMatchObject({ needs_restart: true });
    await send({ type: "set_process_current_alternate_command", name: NAME, which: "debug" });
    expect(await get()).toMatchObject({ needs_restart: false });
    await manager.process(NAME).stop();
    expect(await get()).toMatchObject({ running_command: null, needs_restart: false });
  });

  test("the override of default is command_override, whichever frame set it; null and '' clear it", async () => {
    await send({ type: "set_process_command_override", name: NAME, override: "sleep 4000" });
    expect(await get()).toMatchObject({
      command: SLEEP,
      command_override: "sleep 4000",
      current_command: "sleep 4000",
      alternate_command_overrides: {},
    });
    expect(argvOf(await startedPid())).toEqual(["sleep", "4000"]);
    await send({ type: "set_process_alternate_command_override", name: NAME, which: "default", override: "sleep 5000" });
    expect(await get()).toMatchObject({ command_override: "sleep 5000" });
    await send({ type: "set_process_command_override", name: NAME, override: "" });
    expect(await get()).toMatchObject({ command_override: null, current_command: SLEEP });
  });

  test("an alternate's override is in effect while that one is selected", async () => {
    await send({ type: "set_process_alternate_command_override", name: NAME, which: "debug", override: "sleep 6000" });
    expect(await get()).toMatchObject({
      alternate_command_overrides: { debug: "sleep 6000" },
      current_command: SLEEP,
      command_override: null,
    });
    await send({ type: "set_process_current_alternate_command", name: NAME, which: "debug" });
    expect(await get()).toMatchObject({ current_command: "sleep 6000" });
    expect(argvOf(await startedPid())).toEqual(["sleep", "6000"]);
  });

  test.each([
    ["an unknown label", { type: "set_process_current_alternate_command", name: NAME, which: "none" }, "not_found"],
    [
      "a label that is an object's property",
      { type: "set_process_current_alternate_command", name: NAME, which: "__proto__" },
      "not_found",
    ],
    [
      "an override of an unknown label",
      { type: "set_process_alternate_command_override", name: NAME, which: "x", override: "a" },
      "not_found",
    ],
    ["an unclosed quote", { type: "set_process_command_override", name: NAME, override: "sleep '1" }, "bad_field"],
    ["only blanks", { type: "set_process_command_override", name: NAME, override: "  " }, "bad_field"],
    ["an unknown process", { type: "set_process_command_override", name: "nobody", override: "true" }, "not_found"],
    ["an unknown tool", { type: "set_process_attribute", name: NAME, attribute: "start_tool", value: "hammer" }, "not_found"],
    ["an attribute of nobody's", { type: "set_process_attribute", name: "nobody", attribute: "svc_debug", value: true }, "not_found"],
    ["a flag of nobody's", { type: "set_process_low_delay_output", name: "nobody", enabled: true }, "not_found"],
    ["startup commands of nobody", { type: "dump_startup_commands", name: "nobody" }, "not_found"],
    ["details of nobody", { type: "request_process_detail", name: "nobody" }, "not_found"],
  ] satisfies [string, ClientFrame, string][])("%s is refused and changes nothing", async (_what, frame, code) => {
    const before = await manager.snapshot();
    await expect(send(frame)).rejects.toMatchObject({ code });
    expect((await manager.snapshot()).processes).toEqual(before.processes);
  });
});

describe("attributes", () => {
  test("a start tool wraps the command; the shell gets the whole line; none removes the configured one", async () => {
    const answer = await send({ type: "set_process_attribute", name: NAME, attribute: "start_tool", value: "timer" });
    expect(answer).toMatchObject({ type: "process_attribute_set_result", ok: true, name: NAME, attribute: "start_tool", value: "timer" });
    expect(await get()).toMatchObject({ start_tool: "timer", command: SLEEP, current_command: `env WRAPPED=1 ${SLEEP}` });
    const pid = await startedPid();
    await expect.poll(() => argvOf(pid)).toEqual(["sleep", "1000"]);
    expect(environOf(pid).get("WRAPPED")).toBe("1");
    await send({ type: "set_process_current_alternate_command", name: NAME, which: "shell" });
    expect(await get()).toMatchObject({ current_command: "env WRAPPED=1 /bin/sh -c 'sleep 3000; true'" });

    expect(await get("configured")).toMatchObject({ start_tool: null, current_command: `env WRAPPED=1 ${SLEEP}` });
    await send({ type: "set_process_attribute", name: "configured", attribute: "start_tool", value: "none" });
    expect(await get("configured")).toMatchObject({ start_tool: "none", current_command: SLEEP });
    expect(await send({ type: "set_process_attribute", name: "configured", attribute: "start_tool", value: "" })).toMatchObject({
      value: null,
    });
  });

  test("svc_debug sets MGR_DEBUG=1 for the child, and nothing otherwise", async () => {
    expect(environOf(await startedPid()).has("MGR_DEBUG")).toBe(false);
    await send({ type: "set_process_attribute", name: NAME, attribute: "svc_debug", value: true });
    const pid = await restartedPid();
    expect(environOf(pid).get("MGR_DEBUG")).toBe("1");
    expect(await send({ type: "set_process_attribute", name: NAME, attribute: "svc_debug", value: "" })).toMatchObject({ value: false });
  });

  test("the tools are offered in the decided order: default, none, those of the configuration, installed ones", async () => {
    const { start_tools } = await manager.snapshot();
    expect(start_tools.slice(0, 3)).toEqual([
      { value: null, label: "default" },
      { value: "none", label: "no tool" },
      { value: "timer", label: "with env" },
    ]);
  });

  test("flags of the output are shown at once", async () => {
    await send({ type: "set_process_low_delay_output", name: NAME, enabled: true });
    await send({ type: "set_process_no_skip_display", name: NAME, enabled: true });
    expect(await get()).toMatchObject({ low_delay_output: true, no_skip_display: true });
    await send({ type: "set_process_low_delay_output", name: NAME, enabled: false });
    await send({ type: "set_process_no_skip_display", name: NAME, enabled: false });
    expect(await get()).toMatchObject({ low_delay_output: false, no_skip_display: false });
  });
});

describe("process_detail", () => {
  function historyOf(detail: ManagerFrame) {
    return detail.type === "process_detail" && detail.ok ? detail.history : [];
  }

  test("has the environment without secrets, the definition with the keys of the configuration, and past runs", async () => {
    const first = await startedPid();
    await manager.process(NAME).stop();
    const second = await startedPid();
    const detail = await send({ type: "request_process_detail", name: NAME });
    expect(detail).toMatchObject({
      type: "process_detail",
      ok: true,
      name: NAME,
      environment: { MODE: "fast", API_TOKEN: "***" },
      definition: {
        command: SLEEP,
        restart: { policy: "never", delay: "1s" },
        stop: { signal: "SIGTERM", timeout: "10s" },
        ready_timeout: "none",
      },
    });
    expect(JSON.stringify(detail)).not.toContain("hush");
    const third = await restartedPid();
    expect(historyOf(await send({ type: "request_process_detail", name: NAME })).slice(0, 3)).toMatchObject([
      { pid: third, stop_time: null, code: null, signal: null },
      { pid: second, code: null, signal: "SIGTERM", reason: null },
      { pid: first, code: null, signal: "SIGTERM", reason: null },
    ]);
  });

  test("has the newest changes of state, with the user", async () => {
    await startedPid();
    await manager.process(NAME).stop();
    const detail = await send({ type: "request_process_detail", name: NAME });
    const changes = detail.type === "process_detail" && detail.ok ? detail.changes : [];
    expect(changes.slice(-4)).toEqual([
      { ts: expect.any(String), from: "stopped", to: "starting", by: expect.any(String), reason: null },
      { ts: expect.any(String), from: "starting", to: "started", by: null, reason: null },
      { ts: expect.any(String), from: "started", to: "stopping", by: expect.any(String), reason: null },
      { ts: expect.any(String), from: "stopping", to: "stopped", by: expect.any(String), reason: null },
    ]);
  });

  test("remembers no more than twenty runs", async () => {
    await send({ type: "set_process_command_override", name: NAME, override: "true" });
    for (let run = 0; run < 22; run++) {
      await manager.process(NAME).start();
      await manager.process(NAME).waitFor("stopped");
    }
    const detail = await send({ type: "request_process_detail", name: NAME });
    expect(historyOf(detail)).toHaveLength(20);
    expect(historyOf(detail)[0]).toMatchObject({ code: 0, signal: null });
  });
});

// A loaded machine takes long to start a shell and all that it runs.
describe("dump_startup_commands", { timeout: 120_000 }, () => {
  test.each([
    ["byHand", "sh"],
    ["byHand", "bash"],
    ["shellLine", "sh"],
    [NAME, "bash"],
  ])("pasted into a shell, the lines of %s start the same process (%s)", async (name, shell) => {
    const answer = await send({ type: "dump_startup_commands", name });
    if (answer.type !== "process_startup_commands" || !answer.ok) throw new Error("no startup commands");
    const pid = await startedPid(name);
    await using pasted = await paste(shell, answer.commands, argvOf(pid));
    try {
      const byHand = pasted.pid;
      expect(argvOf(byHand)).toEqual(argvOf(pid));
      expect(readlinkSync(`/proc/${byHand}/cwd`)).toBe(readlinkSync(`/proc/${pid}/cwd`));
      expect(comparable(byHand)).toEqual(comparable(pid));
      expect(fieldsOf(byHand)).toEqual(fieldsOf(pid));
    } finally {
      await manager.process(name).stop();
    }
  });

  test.each([getPriority(), getPriority() + 3, ...(mayLowerNiceness() ? [17, -4] : [])])(
    "sets the configured nice value in a shell of niceness %i",
    async (own) => {
      const answer = await send({ type: "dump_startup_commands", name: "polite" });
      if (answer.type !== "process_startup_commands" || !answer.ok) throw new Error("no startup commands");
      await using pasted = await paste("sh", answer.commands, ["sleep", "1000.25"], own);
      expect(getPriority(pasted.shell)).toBe(own);
      expect(getPriority(pasted.pid)).toBe(15);
    },
  );

  /** Runs `lines` in a shell, in the background; resolves once one of its children is the program. */
  async function paste(shell: string, lines: readonly string[], argv: string[], niceness?: number) {
    const child = spawn(shell, [], {
      cwd: "/",
      detached: true,
      env: { PATH: process.env.PATH, STRAY: "1", MODE: "wrong" },
      stdio: ["pipe", "ignore", "inherit"],
    });
    const pid = child.pid ?? 0;
    const end = async () => {
      const gone = once(child, "close");
      child.stdin.destroy();
      process.kill(-pid, "SIGKILL");
      await gone;
    };
    try {
      if (niceness !== undefined) setPriority(pid, niceness);
      // The pasting shell goes on to wait; the process by hand is its child.
      child.stdin.write(`${lines.join("\n")} &\necho\n`);
      await expect.poll(() => childWith(pid, argv), { timeout: 60_000 }).not.toBe(null);
      return { shell: pid, pid: childWith(pid, argv) ?? 0, [Symbol.asyncDispose]: end };
    } catch (error) {
      await end();
      throw error;
    }
  }

  /** Users without CAP_SYS_NICE may only raise it. */
  function mayLowerNiceness(): boolean {
    const own = getPriority();
    try {
      setPriority(own - 1);
      setPriority(own);
      return true;
    } catch {
      return false;
    }
  }

  /** What shells set by themselves, and the mark of the host's own run, do not count. */
  function comparable(pid: number): [string, string][] {
    const own = new Set(["_", "PWD", "OLDPWD", "SHLVL", "MGR_RUN"]);
    return [...environOf(pid)].filter(([name]) => !own.has(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  function fieldsOf(pid: number): string[] {
    const limits = readFileSync(`/proc/${pid}/limits`, "utf8").split("\n");
    const umask = readFileSync(`/proc/${pid}/status`, "utf8").match(/^Umask:.*$/m)?.[0] ?? "";
    return [umask, ...limits.filter((line) => /open files|core file|processes/.test(line))];
  }

  function childWith(parent: number, argv: string[]): number | null {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
    return children.find((pid) => argvOf(pid).join("\0") === argv.join("\0")) ?? null;
  }
});
