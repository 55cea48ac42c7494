import { expect, test } from "vitest";
import { MgrError } from "../../src/base/errors.ts";
import { loadsOf } from "../../src/cli/commands/processes/loads.ts";
import { listing } from "../../src/cli/commands/processes/ps.ts";
import { fakeProcess } from "../support/fakes/fake-control.ts";

const running = { ...fakeProcess("sim/one"), state: "ready", pid: 7, start_time: "2026-11-21T08:14:02.123" } as const;
const stopped = fakeProcess("sim/two");
const HOST = {
  aliases: [],
  node_aliases: [],
  all_names: [],
  daemon_ready: true,
  state: "ready" as const,
  problem: null,
  lost_time: null,
  version: null,
  clock_offset: 0,
};
const LOADS = new Map([["sim/one", { name: "sim/one", cpu_percent: 12.34, memory_rss: 50.25 * 1024 ** 2, processes: 3 }]]);

test("ps shows CPU and memory of each process that runs", () => {
  const [head = "", one = "", two = ""] = listing([running, stopped], [], LOADS).split("\n");
  expect(head).toMatch(/PID +CPU% +MEMORY +UPTIME/);
  expect(one).toMatch(/ready +7 +12\.3 +50\.3 MiB/);
  expect(two).toMatch(/stopped +- +- +- +-/);
});

test("ps fits 60 columns", () => {
  const hosts = ["bench", "rt1"].map((name) => ({ ...HOST, name }));
  const failed = { ...fakeProcess("sim/with-a-long-name"), state: "error" as const, host_ready: true };
  const text = listing([running, stopped, failed], hosts, LOADS, { width: 60 });
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  expect(text).toMatch(/NAME.*STATE.*CPU%/);
});

test("ps leaves CPU and memory out if the manager cannot tell them", async () => {
  const refuses = { request: () => Promise.reject(new MgrError("unknown_action", "unknown")) } as unknown as Parameters<typeof loadsOf>[0];
  const loads = await loadsOf(refuses);
  expect(loads).toBeNull();
  expect(listing([running], [], loads)).not.toMatch(/CPU|MEMORY/);
});
