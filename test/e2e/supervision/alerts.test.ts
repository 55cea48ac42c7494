import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { runDocument } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

interface Alert {
  readonly name: string;
  readonly silent: { since: string } | null;
  readonly output: { line: string; matches: number } | null;
}

const alertsOf = async (client: Client): Promise<Alert[]> => (await client.snapshot()).alerts as Alert[];
const listed = async (instance: Instance): Promise<Alert[]> => JSON.parse((await instance.mgr("alerts", "--json")).stdout);
const type = (client: Client, name: string, text: string) => client.command({ type: "send_stdin", name, text });

const EARLY = "echo panic: on the first line; exec sleep 1000";
const LATE = "until test -e trigger; do sleep 0.1; done; echo panic: without a manager; exec sleep 1000";
const configuration = (alert: object | null) => ({
  processes: {
    "sim/arm": { command: "sleep 1000" },
    quiet: { command: "sleep 1000", autostart: true, alert: { silent_for: "1s" } },
    early: { command: EARLY, shell: true, autostart: true, alert: { output_matches: "^panic: " } },
    late: { command: LATE, shell: true, autostart: true, alert: { output_matches: "^panic: " } },
    "sim/echo": { command: ECHO, autostart: true, ...(alert === null ? {} : { alert }) },
  },
});

test("alerts are raised on the host, outlive the manager, and end when they are dismissed or their process starts again", async () => {
  await using instance = new Instance(configuration({ output_matches: "lost|gone" }));
  await instance.mgr("up", "--detach");
  const first = await instance.connect();
  await eventually("the first line and the silence are noticed", async () => (await alertsOf(first)).length === 2);
  expect(await alertsOf(first)).toMatchObject([
    { name: "early", silent: null, output: { line: "panic: on the first line", matches: 1 } },
    { name: "quiet", silent: { since: expect.any(String) }, output: null },
  ]);

  instance.kill("manager");
  await eventually("the manager is dead", () => instance.pidOf("manager") === null);
  writeFileSync(join(instance.dir, "trigger"), "");
  await instance.mgr("up", "--detach");
  const second = await instance.connect();
  await eventually("the alerts are known again", async () => (await alertsOf(second)).length === 3);
  expect(await alertsOf(second)).toMatchObject([
    { name: "early" },
    { name: "late", output: { line: "panic: without a manager" } },
    { name: "quiet" },
  ]);
  const { pid } = await second.process("sim/echo");
  const from = second.here;
  await type(second, "sim/echo", "the arm is lost\n");
  await second.until("an event", (frame) => frame.type === "alert_upsert" && (frame.alert as Alert).name === "sim/echo", from);
  expect((await instance.mgr("alerts")).stdout).toMatch(/sim\/echo +\S+ +\d+ +its output matched at .*: the arm is lost/);
  expect((await instance.mgr("ps")).stdout).toMatch(/sim\/echo .*its output matched at/);
  expect((await instance.mgr("log", "--level", "warning")).stdout).toMatch(
    /process 'sim\/echo' needs attention: its output matched at .*lost/,
  );

  const commands = await runDocument(instance, "docs/alerts.md");
  expect(commands.map(({ line, code }) => [line, code])).toEqual([
    ["mgr alerts", 0],
    ["mgr alerts --json", 0],
    ["mgr alerts --clear sim/arm", 0],
  ]);
  expect((await instance.mgr("alerts", "--clear", "sim")).stdout).toBe("sim/echo: dismissed\n");
  await eventually("it is dismissed", async () => (await listed(instance)).every(({ name }) => name !== "sim/echo"));
  expect((await instance.run("alerts", "--clear")).code).toBe(2);
  expect((await instance.run("alerts", "nothing")).code).toBe(3);

  // Another alert takes effect while the process runs.
  instance.write(configuration({ output_matches: "found" }));
  expect(await second.ask({ type: "reload_config" })).toMatchObject({ ok: true, changed: ["sim/echo"], restart_needed: [] });
  await type(second, "sim/echo", "lost\n");
  await type(second, "sim/echo", "found\n");
  await eventually("the new expression counts", async () => (await listed(instance)).some(({ output }) => output?.line === "found"));
  expect(await second.process("sim/echo")).toMatchObject({ pid, needs_restart: false });

  await second.command({ type: "restart_process", name: "sim/echo" });
  await eventually("a new run has no alert", async () => (await listed(instance)).every(({ name }) => name !== "sim/echo"));
  await second.command({ type: "stop_process", name: "quiet" });
  await eventually("a stopped process is not silent", async () => (await listed(instance)).every(({ name }) => name !== "quiet"));
  instance.write(configuration(null));
  await second.ask({ type: "reload_config" });

  // Its processes end with a killed daemon; what it knew of their output does, too.
  instance.kill("daemon");
  await eventually("the alerts of the new daemon", async () => {
    const { state } = await second.process("early");
    return state !== "started" && (await listed(instance)).length === 0;
  });
}, 480_000);
