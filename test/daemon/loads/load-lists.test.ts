import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { jsonOf } from "../../../src/bus/client/rpc-envelope.ts";
import { loadPage } from "../../../src/contract/loads.ts";
import { readStat } from "../../../src/daemon/proc/proc.ts";
import { uniqueSeconds } from "../../support/processes.ts";
import { HostRig, spec } from "../support/hosts.ts";

it("each living run has the CPU time and the memory of its whole tree, as the kernel counts them", async () => {
  await using rig = await HostRig.open();
  const seconds = uniqueSeconds();
  // A child that works and is waited for, then one that lives on.
  const work = `/usr/bin/python3 -c 'import time\nwhile time.process_time() < 0.3: pass'; sleep ${seconds} & wait`;
  const run = await rig.spawn(spec("sim/world", work));
  const idle = await rig.spawn(spec("idle", `exec sleep ${seconds}`));
  const over = await rig.spawn(spec("over", "true"));
  await rig.event(over, "extinct");
  const children = () => readFileSync(`/proc/${run.pid}/task/${run.pid}/children`, "utf8").trim().split(" ").map(Number);
  await vi.waitFor(() => expect(children().map(nameOf)).toEqual(["sleep"]), { timeout: 60_000 });
  // The child may still be loading its program: nothing is measured before both sleep.
  const states = () => [run.pid ?? 0, ...children()].map((pid) => readStat(pid)?.state);
  await vi.waitFor(() => expect(states()).toEqual(["S", "S"]), { timeout: 60_000 });
  const before = await loadsOf(rig);
  expect([...before.keys()].sort()).toEqual(["idle", "sim/world"]);
  const world = before.get("sim/world");
  expect(world?.processes).toBe(2);
  expect(world?.cpuMs).toBeGreaterThanOrEqual(290);
  const rss = [run.pid, ...children()].reduce(
    (sum, pid) => sum + 1_024 * Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]),
    0,
  );
  // The kernel keeps the figure in `stat` in parts for each CPU and adds them up only now and then.
  expect(world?.rss).toBeGreaterThan(rss / 2);
  expect(world?.rss).toBeLessThan(rss * 2);
  expect(before.get("idle")).toMatchObject({ processes: 1 });
  // Neither does anything any more.
  const after = await loadsOf(rig);
  expect(after.get("sim/world")?.cpuMs).toBe(world?.cpuMs);
  expect(after.get("sim/world")?.ageMs).toBeGreaterThanOrEqual(world?.ageMs ?? Number.NaN);
  for (const { run_id } of [run, idle]) await rig.host.request("signal", { session: rig.session, run_id, signal: "SIGKILL" });
});

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
}

async function loadsOf({ host, session }: HostRig) {
  const rows = loadPage.parse(jsonOf((await host.request("loads", { session })).data));
  return new Map(rows.map(([name, cpuMs, rss, processes, ageMs]) => [name, { cpuMs, rss, processes, ageMs }]));
}
