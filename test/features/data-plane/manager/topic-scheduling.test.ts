import { expect, it } from "vitest";
import type { HostRequests, TaskChange } from "../../../../src/actors/control.ts";
import type { DataPlaneTables } from "../../../../src/features/data-plane/manager/data-plane-tables.ts";
import { TopicScheduling } from "../../../../src/features/data-plane/manager/topic-scheduling.ts";

const COLUMNS = ["tid", "name", "policy", "prio", "affinity"];
const cell = (raw: unknown) => ({ raw, formatted: String(raw) });

it("a host may be given by any of its names; the answer has its canonical one", async () => {
  const changed: TaskChange[] = [];
  const hosts = {
    processList: async () => ({
      host: "rt1",
      columns: COLUMNS.map((name) => ({ name })),
      rows: [{ cells: [cell(71), cell("loop"), cell(0), cell(0), cell("0,1")] }],
    }),
    setTask: async (change: TaskChange) => {
      changed.push(change);
    },
  } as unknown as HostRequests;
  const entry = { name: "rt1", all_names: ["rt1", "10.0.0.7", "robot"] };
  const tables = { hostOf: () => "rt1" } as unknown as DataPlaneTables;
  const scheduling = new TopicScheduling(tables, hosts, () => [entry as never]);
  const publisher = { id: 1, record: { pid: 70, name: "driver" } } as never;
  const wanted = ["robot", "10.0.0.7", "rt1", "rt2"].map((host) => ({ host, pid: 70, tid: 71, policy: 1, prio: 20 }));
  const applied = await scheduling.apply({ publisher, subscribers: [] }, wanted, "ada");
  expect(applied).toMatchObject([
    ...[1, 2, 3].map(() => ({ host: "rt1", pid: 70, tid: 71, ok: true })),
    { host: "rt2", ok: false, code: "not_found" },
  ]);
  expect(changed).toEqual([1, 2, 3].map(() => ({ host: "rt1", pid: 70, tid: 71, policy: 1, prio: 20, affinity: "0,1" })));
});
