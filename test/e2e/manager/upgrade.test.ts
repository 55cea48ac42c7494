import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO, sh } from "../support/shell.ts";
import { TerminalSession } from "../support/terminal.ts";
import { eventually } from "../support/wait.ts";

const COUNT = sh("i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.01; done");

/** Fails unless the ticks go on from 1 without a gap. Returns the last one. */
function lastTick(output: string): number {
  const numbers = [...output.matchAll(/tick (\d+)\r\n/g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  return numbers.length;
}

test("mgr upgrade replaces manager and daemon: their pids and those of the processes stay, and no output is missing", async () => {
  await using instance = new Instance({
    processes: { counter: { command: COUNT, autostart: true }, shell: { command: ECHO, autostart: true } },
  });
  await instance.mgr("up", "--detach");
  const first = await instance.connect();
  await eventually(
    "both run",
    async () => (await first.process("shell")).state === "started" && (await first.process("counter")).state === "started",
  );
  const pids = { manager: instance.pidOf("manager"), daemon: instance.pidOf("daemon") };
  const before = await first.process("shell");

  using attached = new TerminalSession(["attach", "-c", instance.config, "counter"], {
    rows: 30,
    cols: 100,
    environment: instance.environment,
  });
  let shown = "";
  attached.pty.onData((data) => {
    shown += data;
  });
  await eventually("the counter is shown", () => /tick \d+\r/.test(shown));

  const { stdout } = await instance.mgr("upgrade", "--json");
  expect(JSON.parse(stdout)).toEqual([
    { host: null, from: expect.any(String), to: expect.any(String), problem: null },
    { host: expect.any(String), from: expect.any(String), to: expect.any(String), problem: null },
  ]);
  expect({ manager: instance.pidOf("manager"), daemon: instance.pidOf("daemon") }).toEqual(pids);
  expect(instance.read("state/daemon.log")).toContain("this program has replaced that of the daemon");
  const second = await instance.connect();
  await eventually("the shell is adopted", async () => (await second.process("shell")).state === "started");
  expect(await second.process("shell")).toEqual(before);
  await second.command({ type: "send_stdin", name: "shell", text: "after\n" });
  // All of it: on a slow machine there are more lines by then than an answer has by default.
  const output = async (name: string) => String((await second.ask({ type: "get_process_output", name, lines: 100_000 })).output);
  await eventually("the shell answers", async () => (await output("shell")).includes("you typed after\r\n"));
  const ticks = lastTick(await output("counter"));
  await eventually("the counter goes on", async () => lastTick(await output("counter")) > ticks);
  await eventually("mgr attach shows it", () => shown.includes(`tick ${ticks}\r`));
  expect(shown).toContain("connected again");
  const seen = [...shown.matchAll(/tick (\d+)\r/g)].map(([, number]) => Number(number));
  expect(seen).toEqual(seen.map((_, index) => (seen[0] ?? 0) + index));
  attached.type("\x1d");
  expect((await attached.ended).exitCode).toBe(0);

  const program = join(instance.dir, "broken.cjs");
  writeFileSync(program, "throw new Error('not today')");
  const refused = await instance.run("upgrade", "-c", instance.config, "localhost", "--program", program);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("host localhost: not replaced:");
  expect(refused.stdout).toContain("not today");
  expect(isAlive(pids.daemon ?? 0)).toBe(true);
  expect((await second.process("shell")).state).toBe("started");
});
