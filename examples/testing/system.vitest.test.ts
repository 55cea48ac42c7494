// The system under vitest. Each test has its own manager, so that all of them run side by side.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManager, type EmbeddedManager } from "mgr";
import { createBench, type MgrMatchers, matchers, Recorder } from "mgr/testing";
import { test as base, describe, expect } from "vitest";
import { system } from "./system.js";

declare module "vitest" {
  interface Matchers<T> extends MgrMatchers<T> {}
}
expect.extend(matchers);

const test = base.extend<{ manager: EmbeddedManager }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest parses the pattern to find the fixture's dependencies.
  manager: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "plant-"));
    const manager = await createManager(system(folder));
    await use(manager);
    await manager.close();
    await rm(folder, { recursive: true });
  },
});

describe.concurrent("the plant with real programs", () => {
  test("reports what the sensor measures", async ({ manager }) => {
    const report = manager.process("plant/report");
    await report.start();
    const [, degrees] = await report.waitForOutput(/temperature (\d+\.\d)/);
    expect(Number(degrees)).toBeGreaterThan(20);
  });

  test("measures again after the sensor was killed", async ({ manager }) => {
    await manager.group("plant").start();
    using recorder = new Recorder(manager);
    const { pid } = await manager.process("plant/sensor").get();
    await manager.process("plant/sensor").signal("SIGKILL");
    await expect(manager.process("plant/sensor")).toReach("backoff");
    await expect(manager.process("plant/sensor")).toReach("ready");
    expect(recorder).toHaveHappened(["plant/sensor: backoff → starting", "plant/sensor: started → ready"]);
    expect((await manager.process("plant/sensor").get()).pid).not.toBe(pid);
  });

  test("stops the report and the sensor before the store", async ({ manager }) => {
    await manager.group("plant").start();
    using recorder = new Recorder(manager);
    await manager.process("plant/store").stop();
    expect(recorder).toHaveHappened([
      "plant/report: stopping → stopped",
      "plant/sensor: stopping → stopped",
      "plant/store: stopping → stopped",
    ]);
  });
});

describe("the plant, simulated", () => {
  test("doubles the delay after each failure of the sensor, up to five seconds", async () => {
    await using bench = await createBench(system("/nowhere"), {
      programs: { "plant/sensor": (process) => process.exit(1) },
    });
    bench.manager.send({ type: "start_process", name: "plant/sensor" });
    await bench.advance(12_000);
    const starts = bench.recorder.events.filter((each) => each.kind === "state" && each.to === "starting" && each.name === "plant/sensor");
    expect(starts.map(({ at }) => at)).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300]);
  });

  test("kills a store that ignores SIGTERM", async () => {
    await using bench = await createBench(system("/nowhere"), {
      programs: {
        "plant/store": (process) => {
          process.ignore("SIGTERM");
          process.print("the store is open\n");
        },
      },
    });
    await bench.until(bench.manager.process("plant/store").start());
    await bench.until(bench.manager.process("plant/store").stop());
    expect(bench.host.process("plant/store").received).toEqual(["SIGTERM", "SIGKILL"]);
  });
});
