import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createManager } from "../../../../src/app/index.ts";
import { analyzeStart } from "../../../../src/features/start-analysis/manager/start-analysis.ts";
import { parseTime } from "../../../../src/protocol/time.ts";

/** Ready after these seconds; `first` and `last`: commands before and after that. */
const ready = (seconds: number, { first = "true", last = "true" } = {}) => ({
  command: ["/bin/sh", "-c", `${first}; sleep ${seconds}; echo up; ${last}; exec sleep 1000`],
  ready: { regex: "up" },
});

test("the last start of a group has its critical chain, whose parts add up, and the outcome of each process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // The database is ready after the cache, however slow the machine is.
  const isCached = join(folder, "cached");
  await using manager = await createManager({
    processes: {
      disk: { command: ["/bin/sh", "-c", "sleep 0.2; exit 0"] },
      "web/db": {
        ...ready(0.3, { first: `until test -e ${isCached}; do sleep 0.01; done` }),
        depends_on: { disk: { condition: "completed" } },
      },
      "web/cache": ready(0, { last: `touch ${isCached}` }),
      "web/api": { ...ready(0.1), depends_on: ["web/db", "web/cache"] },
      "web/broken": { command: ["./no-such-program"] },
    },
  });
  await expect(manager.group("web").start()).rejects.toThrow("no-such-program");
  await manager.process("web/api").waitFor("ready");
  await manager.process("web/broken").waitFor("error");
  const { chain, processes, requested, settled, unknown } = await manager.request({ type: "request_start_analysis", name: "web" });
  expect(chain.map(({ name, known }) => [name, known])).toEqual([
    ["disk", true],
    ["web/db", true],
    ["web/api", true],
  ]);
  const times = chain.map(({ from, until }) => [parseTime(from ?? ""), parseTime(until ?? "")] as const);
  for (const [index, [from, until]] of times.entries()) {
    expect(until).toBeGreaterThanOrEqual(from);
    if (index > 0) expect(from).toBe(times[index - 1]?.[1]);
  }
  const api = processes.find(({ name }) => name === "web/api");
  expect(chain.at(-1)?.until).toBe(api?.up);
  expect(settled).toBe(api?.up);
  expect(times.reduce((sum, [from, until]) => sum + until - from, 0)).toBe(parseTime(settled ?? "") - (times[0]?.[0] ?? 0));
  expect(requested).toBe(processes[0]?.requested);
  expect(Object.fromEntries(processes.map(({ name, outcome, after }) => [name, [outcome, after]]))).toEqual({
    "web/db": ["up", "disk"],
    "web/cache": ["up", null],
    "web/api": ["up", "web/db"],
    "web/broken": ["failed", null],
  });
  expect(processes.every(({ in_last_start }) => in_last_start)).toBe(true);
  expect(unknown).toEqual([]);
});

test("a focused connection sees the starts of its view, and a chain that ends at what it does not see", async () => {
  await using manager = await createManager({ processes: { db: ready(0.1), "web/api": { ...ready(0), depends_on: ["db"] } } });
  await manager.process("web/api").start();
  await manager.process("web/api").waitFor("ready");
  const focused = manager.connect({ single_group: "web" });
  const { chain, processes } = await focused.request({ type: "request_start_analysis" });
  expect(processes.map(({ name }) => name)).toEqual(["web/api"]);
  expect(chain).toMatchObject([
    { name: "db", known: false, from: null },
    { name: "web/api", known: true },
  ]);
  await expect(focused.request({ type: "request_start_analysis", name: "db" })).rejects.toMatchObject({ code: "out_of_scope" });
  await expect(manager.request({ type: "request_start_analysis", name: "none" })).rejects.toMatchObject({ code: "not_found" });
});

test("a part has the same length in each answer, at whatever fraction of a millisecond it is requested", () => {
  const start = { name: "a", requested: 0.4, released: 0.4, started: 7.1, up: 7.1, ended: null, failure: null, after: null, attempts: 1 };
  const lengths = [1_000, 1_000.25, 1_000.5, 1_000.75].map((monotonic) => {
    const clock = { now: () => 1_764_000_000_000, monotonic: () => monotonic };
    const processes = { names: () => ["a"], stateOf: () => "started", graph: { stopRank: () => 0 } };
    const core = { clock, processes } as unknown as Parameters<typeof analyzeStart>[0];
    const [found] = analyzeStart(core, { of: () => start } as never)(null, { kind: "full" }).processes;
    return parseTime(found?.started ?? "") - parseTime(found?.released ?? "");
  });
  expect(lengths).toEqual([7, 7, 7, 7]);
});
