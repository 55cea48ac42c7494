import { join } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { runDocument } from "../support/document-commands.ts";
import { Instance } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

const STEADY = `exec /usr/bin/python3 ${join(import.meta.dirname, "../../fixtures/steady-load.py")}`;

interface History {
  readonly start: string;
  readonly step: number;
  readonly resolution: number;
  readonly oldest: string | null;
  readonly series: Readonly<Record<string, { mean: (number | null)[] }>>;
}

/** Means of the slots of 10 s, by their time; null: a gap. */
async function slots(client: Client, from: string): Promise<Map<string, number | null>> {
  const answer = await client.ask({ type: "request_load_history", names: ["sim/world"], from, points: 1_000, series: ["memory"] });
  const [history] = answer.processes as History[];
  if (history === undefined || history.resolution !== 10) return new Map();
  const begin = Date.parse(`${history.start}Z`);
  const means = history.series.memory?.mean ?? [];
  return new Map(means.map((mean, index) => [new Date(begin + 1_000 * history.step * index).toISOString(), mean]));
}

const untilStarted = (client: Client) => eventually("it runs", async () => (await client.process("sim/world")).state === "started");

const measured = (means: ReadonlyMap<string, number | null>) => [...means].filter(([, mean]) => mean !== null);

test("history outlives a killed manager and a killed daemon; the time without the daemon is a gap", async () => {
  await using instance = new Instance({ processes: { "sim/world": { command: STEADY, autostart: true } } });
  await instance.mgr("up", "--detach");
  const from = new Date(Date.now() - 10_000).toISOString().slice(0, -1);
  const first = await instance.connect();
  await untilStarted(first);
  const before = await eventually("two slots are complete", async () => {
    const found = measured(await slots(first, from));
    return found.length >= 2 ? found : null;
  });
  instance.kill("manager");
  await eventually("the manager is dead", () => instance.pidOf("manager") === null);
  await instance.mgr("up", "--detach");
  const second = await instance.connect();
  await eventually("its host answers", async () => (await slots(second, from)).size > 0);
  expect(measured(await slots(second, from))).toEqual(expect.arrayContaining(before));

  instance.kill("manager");
  instance.kill("daemon");
  await eventually("both are dead", () => instance.pidOf("manager") === null && instance.pidOf("daemon") === null);
  const killed = Date.now();
  // Two boundaries of slots without a daemon: whatever the moment, one slot is not measured at all.
  await eventually("a slot has passed", () => Date.now() >= (Math.floor(killed / 10_000) + 2) * 10_000);
  const away = new Date((Math.floor(killed / 10_000) + 1) * 10_000).toISOString();
  await instance.mgr("up", "--detach");
  const third = await instance.connect();
  await untilStarted(third);
  const after = await eventually("it is measured again", async () => {
    const found = await slots(third, from);
    return measured(found).some(([time]) => time > away) ? found : null;
  });
  expect(measured(after)).toEqual(expect.arrayContaining(before));
  expect(after.get(away)).toBeNull();

  const usage = await instance.mgr("usage", "sim", "--since", "5m");
  expect(usage.stdout).toMatch(/^sim\/world on \S+, .* measured every 10 s, history since /);
  expect(usage.stdout).toMatch(/^MEMORY +[\d.]+ MiB/m);
  const json = JSON.parse((await instance.mgr("usage", "sim/world", "--json", "--points", "7")).stdout);
  expect(json[0].series.cpu_percent.mean.length).toBeLessThanOrEqual(7);
  const [head, line] = (await instance.mgr("usage", "sim/world", "--csv")).stdout.split("\n");
  expect(head).toMatch(/^time,name,host,cpu_percent_min,/);
  expect(line).toMatch(/^\d{4}-.*,"sim\/world",".*",/);
  expect((await instance.run("usage", "nothing")).code).toBe(3);
  const ps = await instance.mgr("ps", "--usage");
  expect(ps.stdout).toMatch(/THREADS +FDS +DISK READ +DISK WRITTEN/);
  expect(JSON.parse((await instance.mgr("ps", "--usage", "--json")).stdout)[0].usage).toMatchObject({ threads: 1 });
  const commands = await runDocument(instance, "docs/history.md");
  expect(commands.length).toBeGreaterThan(3);
  for (const { line, code, stdout } of commands) expect([line, code, stdout.includes("sim/world")]).toEqual([line, 0, true]);
  const metrics = await (await instance.fetch("/mgr/metrics", { headers: instance.login })).text();
  expect(metrics).toMatch(/^mgr_process_cpu_ratio\{process="sim\/world",host="[^"]+"\} [\d.]+$/m);
  expect(metrics).toContain("mgr_process_loads_left_out 0");
}, 480_000);

test("a focused connection gets the samples and the history of its process alone", async () => {
  await using instance = new Instance({
    processes: { "sim/world": { command: STEADY, autostart: true }, other: { command: "sleep 1000", autostart: true } },
  });
  await instance.mgr("up", "--detach");
  const client = await instance.connect("?single_process=sim/world");
  await untilStarted(client);
  await client.command({ type: "subscribe_load", name: "sim/world" });
  await client.until("a sample", ({ type, name }) => type === "load_sample" && name === "sim/world");
  expect(await client.ask({ type: "subscribe_load", name: "other" })).toMatchObject({ type: "error", code: "out_of_scope" });
  const { processes } = await client.ask({ type: "request_newest_load" });
  expect((processes as { name: string }[]).map(({ name }) => name)).toEqual(["sim/world"]);
  const past = await client.ask({ type: "request_load_history", pattern: "*", names: ["other"] });
  expect((past.processes as { name: string }[]).map(({ name }) => name)).toEqual(["sim/world"]);
  expect(await client.ask({ type: "request_host_load_history", host: "localhost" })).toMatchObject({ code: "out_of_scope" });
});
