import { expect, test } from "vitest";
import type { RestartStep } from "../../../src/features/rolling-restart/wire.ts";
import { createBench, type FakePrograms } from "../../../src/testing/index.ts";

const NAMES = ["a", "b", "c"];
const config = (more: object = {}) => ({
  processes: Object.fromEntries(NAMES.map((name) => [name, { command: name, ready: { regex: "up" }, ...more }])),
});
/** Ready after a second. */
const slow: FakePrograms[string] = async (process) => {
  await process.sleep(1_000);
  process.print("up\n");
};

async function rig(programs: FakePrograms, more: object = {}) {
  const bench = await createBench(config(more), { programs: { ...programs, "*": slow } });
  const steps: string[] = [];
  const newest = new Map<string, RestartStep>();
  bench.manager.frames$.subscribe((frame) => {
    if (frame.type !== "restart_step_upsert") return;
    newest.set(frame.step.name, frame.step);
    steps.push(`${frame.step.name} ${frame.step.state}`);
  });
  await bench.until(Promise.all(NAMES.map((name) => bench.manager.process(name).start())));
  const begin = async (timeout = 60) => {
    const { id } = await bench.until(bench.manager.request({ type: "rolling_restart", names: NAMES, timeout }));
    return id;
  };
  return { bench, steps, newest, begin };
}

const PENDING = ["a pending", "b pending", "c pending"];

test("each process is restarted when the one before is ready again, and all others run meanwhile", async () => {
  const { bench, steps, begin } = await rig({});
  await using _bench = bench;
  const up: number[] = [];
  bench.manager.frames$.subscribe(async (frame) => {
    if (frame.type === "process_upsert" && frame.process.state === "starting")
      up.push((await bench.manager.snapshot()).processes.filter(({ state }) => state === "ready").length);
  });
  await begin();
  await bench.advance(500);
  expect(steps).toEqual([...PENDING, "a restarting"]);
  await bench.advance(10_000);
  expect(steps.slice(3)).toEqual(["a restarting", "a done", "b restarting", "b done", "c restarting", "c done"]);
  expect(up).toEqual([2, 2, 2]);
  const { restart_steps } = await bench.manager.snapshot();
  expect(restart_steps.map(({ name, position, total }) => [name, position, total])).toEqual([
    ["a", 1, 3],
    ["b", 2, 3],
    ["c", 3, 3],
  ]);
  // They are forgotten after a while.
  const removed: string[] = [];
  bench.manager.frames$.subscribe((frame) => frame.type === "restart_step_remove" && removed.push(frame.name));
  await bench.advance(600_000);
  expect(removed).toEqual(NAMES);
  expect((await bench.manager.snapshot()).restart_steps).toEqual([]);
});

test("a process that fails ends it: the others keep their runs, and each step says why", async () => {
  const failing: FakePrograms[string] = (process) => (process.run === 1 ? slow(process) : 7);
  const { bench, steps, newest, begin } = await rig({ b: failing });
  await using _bench = bench;
  const { pid } = await bench.manager.process("c").get();
  await begin();
  await bench.advance(10_000);
  expect(steps.slice(3)).toEqual(["a restarting", "a done", "b restarting", "b failed", "c left_out"]);
  expect(newest.get("b")?.reason).toBe("exit code 7");
  expect(newest.get("c")?.reason).toBe("'b' failed");
  expect((await bench.manager.process("c").get()).pid).toBe(pid);
});

test.each([
  [
    "is started again by its restart policy after a failure",
    { restart: { policy: "on-failure", delay: "0s" } },
    /exit code 7|restart policy/,
  ],
  ["is not ready in time", {}, /^it is not ready 2 s after/],
] as const)("a process that %s has failed", async (what, more, reason) => {
  const again: FakePrograms[string] = (process) => (process.run === 1 ? slow(process) : what.startsWith("is started") ? 7 : undefined);
  const silent: FakePrograms[string] = async (process) => (process.run === 1 ? slow(process) : process.sleep(1_000_000));
  const { bench, newest, begin } = await rig({ a: what.startsWith("is started") ? again : silent }, more);
  await using _bench = bench;
  await begin(2);
  await bench.advance(10_000);
  expect(newest.get("a")).toMatchObject({ state: "failed", reason: expect.stringMatching(reason) });
  expect(newest.get("b")?.state).toBe("left_out");
});

test("a process without a ready condition counts when it is stable, one that completes when it has ended", async () => {
  const bench = await createBench(
    { processes: { a: { command: "a", restart: { stable_after: "5s" } }, b: { command: "b" } } },
    {
      programs: {
        b: async (process) => {
          await process.sleep(1_000);
          return 0;
        },
      },
    },
  );
  await using _bench = bench;
  const steps: string[] = [];
  bench.manager.frames$.subscribe((frame) => {
    if (frame.type === "restart_step_upsert") steps.push(`${frame.step.name} ${frame.step.state}`);
  });
  await bench.until(bench.manager.request({ type: "rolling_restart", names: ["a", "b"] }));
  await bench.advance(4_900);
  expect(steps.at(-1)).toBe("a restarting");
  await bench.advance(2_000);
  expect(steps.slice(-3)).toEqual(["a done", "b restarting", "b done"]);
});

test("a cancelled one ends after the present process, and a stop by a user ends it", async () => {
  const { bench, steps, newest, begin } = await rig({});
  await using _bench = bench;
  const { manager } = bench;
  const id = await begin();
  await expect(bench.until(manager.request({ type: "rolling_restart", names: ["b"] }))).rejects.toThrow(
    "'b' is part of another rolling restart",
  );
  await bench.until(manager.request({ type: "cancel_rolling_restart", id }));
  await bench.advance(10_000);
  expect(steps.slice(3)).toEqual(["a restarting", "b left_out", "c left_out", "a done"]);
  await expect(bench.until(manager.request({ type: "cancel_rolling_restart", id }))).rejects.toThrow(
    `no rolling restart '${id}' under way`,
  );
  await begin();
  await manager.request({ type: "stop_process", name: "a" });
  await bench.advance(10_000);
  expect(newest.get("a")).toMatchObject({ state: "failed", reason: expect.stringMatching(/has requested its stop$/) });
});

test("a removed process is left out, and one that does not exist is refused", async () => {
  const { bench, newest, begin } = await rig({});
  await using _bench = bench;
  const { manager } = bench;
  await expect(bench.until(manager.request({ type: "rolling_restart", names: ["a", "gone"] }))).rejects.toThrow(
    "there is no process 'gone'",
  );
  await begin();
  const { processes } = config();
  await bench.until(manager.reload({ processes: { a: processes.a ?? { command: "a" }, c: processes.c ?? { command: "c" } } }));
  await bench.advance(10_000);
  expect([...newest].map(([name, { state }]) => [name, state])).toEqual([
    ["a", "done"],
    ["b", "pending"],
    ["c", "done"],
  ]);
  expect((await manager.snapshot()).restart_steps.map(({ name }) => name)).toEqual(["a", "c"]);
});
