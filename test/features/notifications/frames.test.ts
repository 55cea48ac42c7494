import { afterEach, beforeEach, expect, it } from "vitest";
import { startRig } from "../../transport/rig.ts";
import { EXAMPLE } from "./example-notification.ts";

let rig: Awaited<ReturnType<typeof startRig>>;

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
});
afterEach(() => rig[Symbol.asyncDispose]());

it("a user creates and removes silences and tests ways; what does not exist is refused", async () => {
  const client = await rig.connect();
  const made = await client.ask({ type: "create_silence", pattern: "sim/*", seconds: 60, reason: "test", request_id: 1 });
  expect(made).toMatchObject({ type: "silence_created", ok: true, pattern: "sim/*", silence: { id: "1f0c9a2b", reason: "test" } });
  expect(await client.ask({ type: "request_notifications", request_id: 2 })).toMatchObject({ silences: [{ pattern: "sim/*" }] });
  expect(await client.ask({ type: "remove_silence", id: "1f0c9a2b", request_id: 3 })).toMatchObject({ type: "ack" });
  expect(await client.ask({ type: "remove_silence", id: "unknown", request_id: 4 })).toMatchObject({ code: "not_found" });
  expect(await client.ask({ type: "test_way", way: "team", request_id: 5 })).toMatchObject({ type: "way_tested", ok: true, sent: true });
  expect(await client.ask({ type: "test_way", way: "unknown", request_id: 6 })).toMatchObject({ ok: false, code: "not_found" });
  for (const wrong of [{ seconds: 0 }, { seconds: 1e12 }, { pattern: "" }, { reason: "x".repeat(501) }])
    expect(await client.ask({ type: "create_silence", pattern: "a", seconds: 1, request_id: 7, ...wrong })).toMatchObject({
      code: "bad_field",
    });
});

it("a focused connection gets no notification, because one can be about any process, and may not ask", async () => {
  const full = await rig.connect();
  const focused = await rig.connect("?single_process=sim/world");
  rig.control.events.publish({ type: "notification", way: "browser", notification: EXAMPLE });
  rig.control.events.publish({ type: "process_remove", name: "sim/world" });
  expect(await full.nextOf("notification")).toEqual({ type: "notification", way: "browser", notification: EXAMPLE });
  expect(await focused.ask({ type: "request_notifications", request_id: 1 })).toMatchObject({ code: "out_of_scope" });
  expect(await focused.ask({ type: "create_silence", pattern: "sim/world", seconds: 1, request_id: 2 })).toMatchObject({
    code: "out_of_scope",
  });
});
