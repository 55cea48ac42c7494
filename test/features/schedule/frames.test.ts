import { expect, it } from "vitest";
import { startRig } from "../../transport/rig.ts";
import { DAILY } from "./fake-schedules.ts";

it("a snapshot has the schedules of the processes in view, and a focused connection gets their changes alone", async () => {
  await using rig = await startRig(["sim/backup", "db"]);
  const other = { ...DAILY, name: "db" };
  rig.control.features.schedules.states = [other, DAILY];
  const full = await rig.connect();
  const focused = await rig.connect("?single_process=sim/backup");
  expect(await full.ask({ type: "get_snapshot" })).toMatchObject({ schedules: [other, DAILY] });
  expect(await focused.ask({ type: "get_snapshot" })).toMatchObject({ schedules: [DAILY] });
  rig.control.events.publish({ type: "schedule_upsert", schedule: other });
  rig.control.events.publish({ type: "schedule_remove", name: "sim/backup" });
  expect(await full.nextOf("schedule_upsert")).toEqual({ type: "schedule_upsert", schedule: other });
  for (const client of [full, focused])
    expect(await client.nextOf("schedule_remove")).toEqual({ type: "schedule_remove", name: "sim/backup" });
});
