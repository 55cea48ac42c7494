import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { commandStorm, recordedIds } from "../../support/command-storm.ts";
import { freePort } from "../../support/free-port.ts";
import { runDocument } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

/** Kills of the manager, clients, and accepted commands before each kill. bench/audit.ts has the full number. */
const KILLS = 3;
const CLIENTS = 8;
const COMMANDS = 150;

test("each accepted command is recorded exactly once, although the manager is killed again and again", async () => {
  const processes = ["a", "b", "c"];
  const sleep = { command: "sleep 1000", autostart: true };
  await using instance = new Instance({ processes: Object.fromEntries(processes.map((name) => [name, sleep])) });
  const accepted: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await instance.mgr("up", "--detach");
    const [url, authorization] = [instance.url.replace(/^http/, "ws"), instance.basic];
    const end = () => void instance.kill("manager");
    accepted.push(
      ...(await commandStorm({ url, authorization, name: `storm${kill}`, clients: CLIENTS, processes, commands: COMMANDS, end })),
    );
    await eventually("the manager is gone", () => instance.pidOf("manager") === null);
  }
  await instance.mgr("up", "--detach");
  const counts = recordedIds(instance.stateDir);
  expect(accepted.length).toBeGreaterThanOrEqual(KILLS * COMMANDS);
  expect(accepted.filter((id) => counts.get(id) !== 1)).toEqual([]);
  const verified = JSON.parse((await instance.mgr("audit", "verify", "--json")).stdout) as Record<string, unknown>;
  expect(verified).toMatchObject({ problems: [], lost: 0 });
  await instance.mgr("down");
});

test("every line of the examples in docs/audit.md works, and shows who did what", async () => {
  await using instance = new Instance({ processes: { "sim/world": { command: "cat" }, "sim/arm": { command: "sleep 1000" } } });
  await instance.mgr("up", "--detach");
  await instance.mgr("start", "sim");
  await instance.run("stop", "nothing", "-c", instance.config);
  await instance.fetch("/mgr/health");
  await instance.fetch("/mgr/metrics");
  const client = await instance.connect("?client=agent");
  await client.command({ type: "send_stdin", name: "sim/world", text: "hunter2\n" });
  await client.ask({ type: "stop_process", name: "unknown" });
  const outcomes = await runDocument(instance, "docs/audit.md");
  expect(outcomes.length).toBeGreaterThan(4);
  expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);
  await instance.mgr("down");
  await instance.mgr("up", "--detach");
  const { stdout } = await instance.mgr("audit", "--json", "-n", "1000");
  expect(stdout).not.toContain("hunter2");
  const entries = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const local = { via: "local", client: "mgr", role: "admin", address: null, outcome: "accepted" };
  expect(entries).toContainEqual(expect.objectContaining({ ...local, command: "start_process", target: "sim/world" }));
  expect(entries).toContainEqual(expect.objectContaining({ command: "log_in", user: "ada", via: "basic", outcome: "accepted" }));
  const agent = { user: "ada", client: "agent", address: expect.stringContaining("127.0.0.1:") };
  expect(entries).toContainEqual(expect.objectContaining({ ...agent, command: "send_stdin", args: { count: 1, bytes: 8 } }));
  expect(entries).toContainEqual(expect.objectContaining({ ...agent, command: "stop_process", outcome: "refused", code: "not_found" }));
  expect(entries.filter(({ command }) => /^manager_/.test(String(command))).map(({ command, user }) => [command, user])).toEqual([
    ["manager_start", "mgr up"],
    ["manager_stop", "SIGTERM"],
    ["manager_start", "mgr up"],
  ]);
  expect(readFileSync(`${instance.stateDir}/manager.log`, "utf8")).not.toContain("cannot be recorded");
  await instance.mgr("down");
});

test("a start that fails because the port is in use is recorded as refused, with the reason", async () => {
  // Not one that the kernel may give to another program before the second start.
  const port = freePort();
  const taken = createServer().listen(port, "127.0.0.1");
  await once(taken, "listening");
  await using instance = new Instance({ processes: {}, instance: { manager: `localhost:${port}` } });
  try {
    expect((await instance.run("up", "-c", instance.config)).code).toBe(1);
    expect(instance.pidOf("daemon"), "nothing was started").toBeNull();
  } finally {
    taken.close();
    await once(taken, "close");
  }
  await instance.mgr("up", "--detach");
  const { stdout } = await instance.mgr("audit", "--command", "manager_start", "--json");
  const entries = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ outcome, code, message }) => [outcome, code, message])).toEqual([
    ["refused", "conflict", expect.stringContaining(`port ${port} of localhost is taken by pid ${process.pid}`)],
    ["accepted", null, null],
  ]);
  await instance.mgr("down");
});
