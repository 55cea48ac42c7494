import { afterEach, beforeEach, expect, it } from "vitest";
import { startRig } from "../../transport/rig.ts";
import { MATCHED, SILENT } from "./fake-alerts.ts";

let rig: Awaited<ReturnType<typeof startRig>>;
const other = { ...SILENT, name: "db" };

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
  rig.control.features.alerts.alerts = [other, MATCHED];
});
afterEach(() => rig[Symbol.asyncDispose]());

it("a snapshot has the alerts of the processes in view, and a focused connection gets their changes alone", async () => {
  const full = await rig.connect();
  const focused = await rig.connect("?single_process=sim/world");
  const group = await rig.connect("?single_group=sim");
  const log = await rig.connect("?log_only=1");
  expect(await full.ask({ type: "get_snapshot" })).toMatchObject({ alerts: [other, MATCHED] });
  for (const client of [focused, group]) expect(await client.ask({ type: "get_snapshot" })).toMatchObject({ alerts: [MATCHED] });
  expect(await log.ask({ type: "get_snapshot" })).toMatchObject({ alerts: [] });
  rig.control.events.publish({ type: "alert_upsert", alert: other });
  rig.control.events.publish({ type: "alert_remove", name: "sim/world" });
  expect(await full.nextOf("alert_upsert")).toEqual({ type: "alert_upsert", alert: other });
  for (const client of [full, focused, group]) {
    expect(await client.nextOf("alert_remove")).toEqual({ type: "alert_remove", name: "sim/world" });
    expect(await client.ask({ type: "clear_alert", name: "sim/world", request_id: 1 })).toMatchObject({ type: "ack" });
  }
  expect(await focused.ask({ type: "clear_alert", name: "db", request_id: 2 })).toMatchObject({ code: "out_of_scope" });
  expect(await full.ask({ type: "clear_alert", name: "unknown", request_id: 3 })).toMatchObject({ code: "not_found" });
});
