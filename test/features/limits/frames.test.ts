import { afterEach, beforeEach, expect, it } from "vitest";
import { startRig } from "../../transport/rig.ts";
import { RESTARTED } from "./fake-limits.ts";

let rig: Awaited<ReturnType<typeof startRig>>;
const other = { ...RESTARTED, name: "db" };

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
  rig.control.features.limits.states = [other, RESTARTED];
});
afterEach(() => rig[Symbol.asyncDispose]());

it("a snapshot has the reached limits of the processes in view, and a focused connection gets their changes alone", async () => {
  const full = await rig.connect();
  const focused = await rig.connect("?single_process=sim/world");
  expect(await full.ask({ type: "get_snapshot" })).toMatchObject({ limits: [other, RESTARTED] });
  expect(await focused.ask({ type: "get_snapshot" })).toMatchObject({ limits: [RESTARTED] });
  rig.control.events.publish({ type: "limits_upsert", limits: other });
  rig.control.events.publish({ type: "limits_remove", name: "sim/world" });
  expect(await full.nextOf("limits_upsert")).toEqual({ type: "limits_upsert", limits: other });
  for (const client of [full, focused]) {
    expect(await client.nextOf("limits_remove")).toEqual({ type: "limits_remove", name: "sim/world" });
    expect(await client.ask({ type: "clear_limits", name: "sim/world", request_id: 1 })).toMatchObject({ type: "ack" });
  }
  expect(await focused.ask({ type: "clear_limits", name: "db", request_id: 2 })).toMatchObject({ code: "out_of_scope" });
  expect(await full.ask({ type: "clear_limits", name: "unknown", request_id: 3 })).toMatchObject({ code: "not_found" });
});
