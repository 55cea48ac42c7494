import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { z } from "zod";
import { readList } from "../../../../src/app/hosts/list-reader.ts";
import { systemClock } from "../../../../src/base/timing/clock.ts";
import type { HostNews } from "../../../../src/contract/messages.ts";
import type { ListPage } from "../../../../src/contract/pages.ts";
import { PAGE_BYTES, readStat } from "../../../../src/daemon/proc/proc.ts";
import { historyPage, newestPage } from "../../../../src/features/load-history/contract.ts";
import { PROCESS_SERIES, type ProcessSeries, SAMPLE_MS } from "../../../../src/features/load-history/series.ts";
import { HostRig, spec } from "../../../daemon/support/hosts.ts";

type Samples = HostNews["load_samples"];
const STEADY = join(import.meta.dirname, "../../../fixtures/steady-load.py");
/** Starts children that work and end, one after the other. */
const SHORT_CHILDREN = `while :; do /usr/bin/python3 -c 'import time
while time.process_time() < 0.1: pass'; done`;
/** Two seconds of samples say little about a program that works now and then. */
const SAMPLES = 10;

const at = (values: readonly (number | null)[], series: ProcessSeries) => values[PROCESS_SERIES.indexOf(series)] ?? Number.NaN;

/** CPU time of a process and of the children that it has waited for, clock ticks, and resident bytes, as the kernel reports them now. */
function kernelFigures(pid: number) {
  const stat = readStat(pid);
  if (stat === null) throw new Error(`the process ${pid} is gone`);
  return {
    ticks: stat.ticks + stat.childTicks,
    rss: stat.rssPages * PAGE_BYTES,
    time: performance.now(),
    threads: stat.threads,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

// The clock ticks that are used at least: what a child has used so far is not among those of /proc, and has to be little of all. A program that
// gets little of the processor needs longer for them.
test.each([
  ["a program that works and grows", `exec /usr/bin/python3 ${STEADY}`, 300],
  ["children that work and end", SHORT_CHILDREN, 500],
])("the samples of %s are those of /proc over the same time", async (_what, line, ticksAtLeast) => {
  await using rig = await HostRig.open();
  const { pid } = await rig.spawn(spec("p", line));
  const seen: { sample: Samples; kernel: ReturnType<typeof kernelFigures> }[] = [];
  const done = new Promise<void>((resolve) => {
    rig.host.listen({
      onNews: {
        load_samples: (sample) => {
          // In the turn in which it was measured.
          const kernel = kernelFigures(pid);
          seen.push({ sample, kernel });
          if (seen.length > SAMPLES && kernel.ticks - (seen[0]?.kernel.ticks ?? 0) >= ticksAtLeast) resolve();
        },
      },
    });
  });
  await rig.host.request("watch_loads", { session: rig.session, names: ["p", "no such process"] });
  await done;
  const [first, ...rest] = seen;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) throw new Error("there are no samples");
  let ticks = 0;
  let before = first;
  for (const each of rest) {
    ticks += (at(each.sample.rows[0]?.[1] ?? [], "cpu_percent") * (each.kernel.time - before.kernel.time)) / 1_000;
    before = each;
  }
  const truth = last.kernel.ticks - first.kernel.ticks;
  expect(truth).toBeGreaterThan(20);
  expect(Math.abs(ticks - truth) / truth).toBeLessThan(0.05);
  const values = last.sample.rows[0]?.[1] ?? [];
  expect(last.sample.rows.map(([name]) => name)).toEqual(["p"]);
  if (line.startsWith("exec")) {
    expect(Math.abs(at(values, "memory") - last.kernel.rss) / last.kernel.rss).toBeLessThan(0.05);
    expect(at(values, "memory")).toBeGreaterThan(at(first.sample.rows[0]?.[1] ?? [], "memory"));
    expect(at(values, "threads")).toBe(last.kernel.threads);
    expect(at(values, "descriptors")).toBe(last.kernel.descriptors);
    expect(at(values, "context_switches_s")).toBeGreaterThan(0);
  }
});

test("what is watched ends with the session, and history has a point for each second", async () => {
  await using rig = await HostRig.open();
  await rig.spawn(spec("p", `exec /usr/bin/python3 ${STEADY}`));
  const times: number[] = [];
  const fourth = new Promise<void>((resolve) => {
    rig.host.listen({
      onNews: {
        load_samples: ({ time }) => {
          times.push(time);
          if (times.length === 4) resolve();
        },
      },
    });
  });
  await rig.host.request("watch_loads", { session: rig.session, names: ["p"] });
  await fourth;
  const range = { from: (times[1] ?? 0) - 1_000, until: times[3] ?? 0, points: 100 };
  const [row] = await history(rig, { names: [], pattern: "[p]", series: ["cpu_percent", "memory"], ...range });
  expect(row).toMatchObject({ name: "p", step_ms: 1_000, slot_ms: 1_000 });
  expect(Object.keys(row?.series ?? {})).toEqual(["cpu_percent", "memory"]);
  expect(row?.series.memory?.mean.filter((value) => value !== null).length).toBeGreaterThanOrEqual(2);
  // The next sample may come between the answer and the look at the times.
  await vi.waitFor(
    async () => {
      const newest = await rows(rig, newestPage, await rig.host.request("newest_loads", { session: rig.session }));
      expect(newest).toEqual([["p", expect.any(Array), times.at(-1)]]);
    },
    { timeout: 60_000 },
  );
  await rig.hello(2);
  const { length } = times;
  const { time } = await rig.host.request("newest_loads", { session: rig.session });
  await rig.until(() => rig.heartbeats.length > 1 && Date.now() > time + 1_500);
  expect(times.length).toBeLessThanOrEqual(length + 1);
});

test("what a host has written is there after it ends, and the time without it is a gap", async () => {
  const state = mkdtempSync(join(tmpdir(), "mgr-sampling-"));
  try {
    const begun = Date.now();
    const watchUntilSlot = async (rig: HostRig) => {
      await rig.spawn(spec("p/q", `exec /usr/bin/python3 ${STEADY}`));
      await rig.host.request("watch_loads", { session: rig.session, names: ["p/q"] });
      await new Promise<void>((resolve) => void rig.host.listen({ onNews: { load_samples: () => resolve() } }));
    };
    {
      await using rig = await HostRig.open({ folders: { state, work: "/" } });
      await watchUntilSlot(rig);
    }
    {
      await using rig = await HostRig.open({ folders: { state, work: "/" } });
      const ask = (more: object = {}) =>
        history(rig, {
          names: ["p/q"],
          pattern: null,
          series: [],
          from: begun - 3_600_000,
          until: Date.now() + 60_000,
          points: 1_000,
          ...more,
        });
      const [row] = await ask();
      expect(row?.slot_ms).toBe(10_000);
      expect(Object.keys(row?.series ?? {})).toEqual([...PROCESS_SERIES]);
      const memory = row?.series.memory?.max ?? [];
      expect(memory.filter((value) => value !== null).length).toBeGreaterThanOrEqual(1);
      expect(memory[0]).toBeNull();
      expect(row?.oldest).toBeGreaterThan(begun - 300_001);
      expect(await ask({ names: ["other"], pattern: null })).toEqual([]);
      const [machine] = await rows(
        rig,
        historyPage,
        await rig.host.request("host_load_history", { session: rig.session, from: begun, until: Date.now(), points: 10 }),
      );
      expect(Object.keys(machine?.series ?? {})).toEqual(expect.arrayContaining(["cpu_percent", "disk_free", "cpu_0"]));
    }
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
});

async function history(rig: HostRig, request: object) {
  return rows(rig, historyPage, await rig.host.request("load_history", { session: rig.session, statistics: [], ...request } as never));
}

function rows<T>({ host, session }: HostRig, schema: z.ZodType<T[]>, first: ListPage): Promise<T[]> {
  return readList({ link: host, command: (send) => send(session) }, first, schema);
}

test("a run that ends before it is measured has a sample, of what its leader has used", async () => {
  // All processes are measured at round times, the next one of which is ten seconds away.
  const shift = SAMPLE_MS + 100 - (Date.now() % SAMPLE_MS);
  const clock = { ...systemClock, now: () => Date.now() + shift };
  await using rig = await HostRig.open({ clock, isDirect: true });
  const from = clock.now() - 10_000;
  const begun = performance.now();
  const run = await rig.spawn(spec("p", "exec /usr/bin/python3 -c 'import time\nwhile time.process_time() < 0.3: pass'"));
  await rig.event(run, "extinct");
  const elapsed = performance.now() - begun;
  const request = { names: ["p"], pattern: null, series: ["cpu_percent", "memory"], points: 10 };
  const known = (values: readonly (number | null)[] = []) => values.filter((value) => value !== null);
  const measured = async () => (await history(rig, { ...request, from, until: clock.now() }))[0]?.series;
  await expect.poll(async () => known((await measured())?.cpu_percent?.mean).length).toBeGreaterThan(0);
  const series = await measured();
  // It has used 300 ms of a processor in less than this time.
  expect(known(series?.cpu_percent?.max)[0]).toBeGreaterThan((0.5 * 100 * 300) / elapsed);
  expect(known(series?.memory?.max)[0]).toBeGreaterThan(2 ** 20);
});
