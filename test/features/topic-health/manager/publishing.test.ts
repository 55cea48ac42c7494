import { expect, test } from "vitest";
import { createBench } from "../../../../src/testing/index.ts";
import { RESTART, SupervisionRig, supervised } from "../../../daemon/support/supervision-rig.ts";

const PROCESSES = {
  camera: { command: "x", autostart: true, alive: { topic: "camera/image", min_rate: 20 } },
  tracker: { command: "x", autostart: true, depends_on: { camera: { condition: "publishing" } } },
} as const;

/** A manager in simulated time with these processes on a fake host. */
async function opened() {
  const bench = await createBench({ processes: PROCESSES });
  const stateOf = async (name: keyof typeof PROCESSES) => {
    await bench.clock.settle();
    const { processes } = await bench.manager.client.snapshot();
    return processes.find((process) => process.name === name)?.state;
  };
  const find = (problem?: string) => bench.host.process("camera").checked("publishing", problem);
  return { bench, stateOf, find, [Symbol.asyncDispose]: () => bench.close() };
}

test("a process that depends on publishing starts once the host has found that the topic keeps its limits", async () => {
  await using rig = await opened();
  expect([await rig.stateOf("camera"), await rig.stateOf("tracker")]).toEqual(["started", "waiting"]);
  rig.find("12 messages/s, at least 20 are expected");
  expect(await rig.stateOf("tracker")).toBe("waiting");
  rig.find();
  expect(await rig.stateOf("tracker")).toBe("started");
  rig.find("nothing was published for 1000 ms");
  expect(await rig.stateOf("tracker"), "a process that runs is not stopped").toBe("started");
});

test("what a run was found to publish does not count for the next run", async () => {
  await using rig = await opened();
  const { manager } = rig.bench;
  await rig.stateOf("camera");
  rig.find();
  await rig.bench.until(manager.process("tracker").stop());
  await rig.bench.until(manager.process("camera").restart());
  const started = manager.process("tracker").start();
  expect(await rig.stateOf("tracker")).toBe("waiting");
  rig.find();
  await rig.bench.until(started);
  expect(await rig.stateOf("tracker")).toBe("started");
});

test("a host without a manager restarts a process that depends on publishing only while the topic keeps its limits", async () => {
  const rig = new SupervisionRig();
  await rig.hello();
  await rig.spawn(supervised("camera"));
  await rig.spawn(supervised("tracker", { restart: RESTART, depends_on: [{ name: "camera", condition: "publishing" }] }));
  rig.host.process("camera").checked("publishing", "nothing was published for 1000 ms");
  await rig.alone();
  rig.host.process("tracker").exit(1);
  await rig.clock.advance(5_000);
  expect(rig.runsOf("tracker")).toHaveLength(1);
  rig.host.process("camera").checked("publishing");
  await rig.clock.settle();
  expect(rig.runsOf("tracker")).toHaveLength(2);
});
