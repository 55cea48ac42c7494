import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createBench } from "../../../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "mgr-replicas-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = (replicas: number, more: object = {}) => ({
  processes: {
    worker: { command: "work {index}", replicas, ...more },
    web: { command: "web", depends_on: { worker: { on_stop: "keep" as const } } },
  },
});

type Rig = Awaited<ReturnType<typeof createBench>>;

async function states({ manager }: Rig): Promise<string[]> {
  const { processes } = await manager.snapshot();
  return processes.filter(({ name }) => name !== "web").map(({ name, state }) => `${name} ${state}`);
}

const scale = async (bench: Rig, count: number, name = "worker") => {
  await bench.until(bench.manager.request({ type: "scale_process", name, count }));
  await bench.advance(20_000);
};

test("a higher number starts new replicas if one is requested, a lower one stops and removes the highest; a dependent needs no restart", async () => {
  await using bench = await createBench(config(2));
  await bench.until(bench.manager.process("web").start());
  expect(await states(bench)).toEqual(["worker/1 started", "worker/2 started"]);
  const pids = (await bench.manager.snapshot()).processes.map(({ pid }) => pid);
  await scale(bench, 3);
  expect(await states(bench)).toEqual(["worker/1 started", "worker/2 started", "worker/3 started"]);
  expect((await bench.manager.snapshot()).replicas).toEqual([{ name: "worker", count: 3, configured: 2 }]);
  const { depends_on, needs_restart, pid } = await bench.manager.process("web").get();
  expect({ depends_on, needs_restart }).toEqual({ depends_on: ["worker/1", "worker/2", "worker/3"], needs_restart: false });
  expect(pids).toContain(pid);
  await scale(bench, 1);
  expect(await states(bench)).toEqual(["worker/1 started"]);
  expect(pids).toContain((await bench.manager.process("worker/1").get()).pid);
});

test("new replicas stay stopped if a user has stopped all others, also with autostart", async () => {
  await using bench = await createBench(config(2, { autostart: true }));
  await bench.until(bench.manager.group("worker").stop());
  await scale(bench, 3);
  expect(await states(bench)).toEqual(["worker/1 stopped", "worker/2 stopped", "worker/3 stopped"]);
});

test("a number that cannot be used is refused with the reason, and nothing changes", async () => {
  await using bench = await createBench(config(2, { ready: { tcp: "localhost:6553{index}" } }));
  const refused = (name: string, count: number) => bench.until(bench.manager.request({ type: "scale_process", name, count }));
  await expect(refused("worker", 7)).rejects.toThrow(
    "'worker' cannot have 7 replicas: the configuration has 2 problems:\n  processes.worker.ready.tcp: ",
  );
  await expect(refused("worker", 101)).rejects.toThrow("'count' of 'scale_process' must be an integer from 1 to 100");
  await expect(refused("web", 2)).rejects.toThrow("process 'web' has no replicas");
  await expect(refused("gone", 2)).rejects.toThrow("no process 'gone' with replicas");
  expect(await states(bench)).toHaveLength(2);
});

test("a reload keeps the number until that of the file changes, and connections in view of a replica hear of it", async () => {
  await using bench = await createBench(config(2));
  const { manager } = bench;
  const seen: unknown[] = [];
  manager.frames$.subscribe((frame) => {
    if (frame.type === "replicas_upsert") seen.push(frame.replicas);
    if (frame.type === "replicas_remove") seen.push(frame.name);
  });
  await scale(bench, 4);
  await bench.until(manager.reload(config(2)));
  expect(await states(bench)).toHaveLength(4);
  await bench.until(manager.reload(config(3)));
  expect(await states(bench)).toHaveLength(3);
  // The number of before does not come back.
  await bench.until(manager.reload(config(2)));
  expect(await states(bench)).toHaveLength(2);
  await bench.until(manager.reload({ processes: { web: { command: "web" } } }));
  await bench.clock.settle();
  const set = (count: number, configured: number) => ({ name: "worker", count, configured });
  expect(seen).toEqual([set(4, 2), set(3, 3), set(2, 2), "worker"]);
});

test("the next manager has the number that was set; one that the file does not allow any more is dropped", async () => {
  const options = { stateDir: join(folder, "state") };
  {
    await using bench = await createBench(config(2), options);
    // Without simulated time: the answer comes when the number is on disk.
    await bench.manager.request({ type: "scale_process", name: "worker", count: 4 });
  }
  {
    await using bench = await createBench(config(2), options);
    expect(await states(bench)).toHaveLength(4);
  }
  const log: string[] = [];
  await using bench = await createBench(config(2, { ready: { tcp: "localhost:{index+65533}" } }), {
    ...options,
    onLog: ({ msg }) => log.push(msg),
  });
  expect(await states(bench)).toHaveLength(2);
  expect(log.join("\n")).toContain("the numbers of replicas of the file count instead of worker=4");
});
