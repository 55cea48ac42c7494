import { expect, it } from "vitest";
import type { HostTasks, TaskChange } from "../../../../src/features/process-list/manager/host-tasks.ts";
import { processList } from "../../../../src/features/process-list/manager/index.ts";
import { TopicScheduling } from "../../../../src/features/process-list/manager/topic-scheduling.ts";
import { register } from "../../../bus/registry/registry-rig.ts";
import { DataPlaneRig } from "../../data-plane/manager/data-plane-rig.ts";

const COLUMNS = ["tid", "name", "policy", "prio", "affinity"];
const cell = (raw: unknown) => ({ raw, formatted: String(raw) });

it("a host may be given by any of its names; the answer has its canonical one", async () => {
  const changed: TaskChange[] = [];
  const tasks = {
    list: async () => ({
      host: "rt1",
      columns: COLUMNS.map((name) => ({ name })),
      rows: [{ cells: [cell(71), cell("loop"), cell(0), cell(0), cell("0,1")] }],
    }),
    set: async (change: TaskChange) => {
      changed.push(change);
    },
  } as unknown as HostTasks;
  const entry = { name: "rt1", all_names: ["rt1", "10.0.0.7", "robot"] };
  const publisher = { id: 1, record: { pid: 70, name: "driver" } } as never;
  const dataPlane = { hostOf: () => "rt1", topicPrograms: () => ({ publisher, subscribers: [] }) };
  const scheduling = new TopicScheduling({ dataPlane, tasks, hostEntries: () => [entry as never] });
  const expected = ["robot", "10.0.0.7", "rt1", "rt2"].map((host) => ({ host, pid: 70, tid: 71, policy: 1, prio: 20 }));
  const applied = await scheduling.apply("arm/state", expected, "ada");
  expect(applied).toMatchObject([
    ...[1, 2, 3].map(() => ({ host: "rt1", pid: 70, tid: 71, ok: true })),
    { host: "rt2", ok: false, code: "not_found" },
  ]);
  expect(changed).toEqual([1, 2, 3].map(() => ({ host: "rt1", pid: 70, tid: 71, policy: 1, prio: 20, affinity: "0,1" })));
});

it("the threads of a topic are listed by the registered pids, and scheduled one by one", async () => {
  await using rig = await DataPlaneRig.start();
  const scheduling = rig.engine.feature(processList).topics;
  const client = await rig.connect(rig.one, "driver");
  await register(client, { name: "driver", pid: process.pid, topics: [{ name: "arm/state", encoding: "raw" }] });
  await expect.poll(() => rig.topic("arm/state")).toBeDefined();
  await rig.client(rig.two, "unknown pid", ["other"]);
  await expect.poll(() => rig.topic("other")).toBeDefined();
  expect(await scheduling.list("other")).toEqual([]);
  const tasks = await scheduling.list("arm/state");
  const main = tasks.find(({ tid }) => tid === process.pid);
  expect(main).toMatchObject({
    role: "publisher",
    client_id: rig.clientNamed("driver")?.id,
    client: "driver",
    host: "one",
    pid: process.pid,
    policy: 0,
  });
  const named = { host: "one", pid: process.pid };
  const expected = [
    { ...named, tid: process.pid, affinity: main?.affinity ?? "" },
    { ...named, tid: process.pid, prio: 50 },
    { ...named, pid: 1, tid: 1, policy: 0 },
  ];
  expect(await scheduling.apply("arm/state", expected, "ada")).toMatchObject([
    { ok: true, tid: process.pid },
    { ok: false, code: "bad_field", message: expect.stringContaining("EINVAL") },
    { ok: false, code: "not_found", pid: 1 },
  ]);
});
