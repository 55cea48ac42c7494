// The same system under node:test, in plain JavaScript: node --test system.node.test.js
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createManager } from "mgr";
import { assertHappened, createBench, Recorder } from "mgr/testing";
import { system } from "./system.js";

/** A manager for one test, closed when the test ends. */
async function plant(t) {
  const folder = await mkdtemp(join(tmpdir(), "plant-"));
  const manager = await createManager(system(folder));
  t.after(async () => {
    await manager.close();
    await rm(folder, { recursive: true });
  });
  return manager;
}

describe("the plant", { concurrency: true }, () => {
  test("reports what the sensor measures", async (t) => {
    const manager = await plant(t);
    await manager.process("plant/report").start();
    const [, degrees] = await manager.process("plant/report").waitForOutput(/temperature (\d+\.\d)/);
    assert.ok(Number(degrees) > 20);
  });

  test("starts in order", async (t) => {
    const manager = await plant(t);
    const recorder = new Recorder(manager);
    await manager.group("plant").start();
    assertHappened(recorder, ["plant/store: started → ready", "plant/sensor: started → ready", "plant/report: starting → started"]);
  });

  test("reports why a start failed, with the last output", async (t) => {
    const manager = await plant(t);
    await manager.reload({
      processes: { liar: { command: "echo I am fine; exit 3", ready: { regex: "really" } } },
    });
    await assert.rejects(manager.process("liar").start(), { code: "conflict", message: /'liar' failed: exit code 3\n[\s\S]*I am fine/ });
  });

  test("produces the same recording in every simulated run", async () => {
    const tell = async () => {
      const bench = await createBench(system("/nowhere"), {
        programs: { "plant/store": async (process) => process.sleep(1_500).then(() => process.print("the store is open\n")) },
      });
      await bench.until(bench.manager.group("plant").start());
      await bench.close();
      return bench.recorder.mermaid();
    };
    assert.equal(await tell(), await tell());
  });
});
