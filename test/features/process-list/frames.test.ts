import { afterEach, beforeEach, expect, it } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import { taskListCommands } from "../../../src/features/process-list/wire.ts";
import { refusalFrame } from "../../../src/protocol/frames/refusal.ts";
import { validFrames } from "../../protocol/valid-frames.ts";
import { expectUnhindered, handled, held } from "../../transport/load/many-requests.ts";
import { type Client, startRig } from "../../transport/rig.ts";

let rig: Awaited<ReturnType<typeof startRig>>;
let client: Client;

beforeEach(async () => {
  rig = await startRig(["sim/world", "db"]);
  client = await rig.connect();
});
afterEach(() => rig[Symbol.asyncDispose]());

it("refusals name a host by its canonical name, as good answers do", async () => {
  rig.control.failNext = new MgrError("busy", "Too many lists at once.");
  expect(await client.ask({ type: "request_process_list", host: "localhost" })).toMatchObject({
    ok: false,
    code: "busy",
    host: "testhost",
  });
  const malformed = { type: "request_process_list", host: "localhost", filter: 1 };
  expect(await client.ask(malformed)).toMatchObject({ ok: false, code: "bad_field", host: "testhost" });
  const unknown = await client.ask({ type: "request_process_list", host: "nowhere" });
  expect(unknown).toMatchObject({ ok: false, code: "not_found", host: "nowhere" });
});

it("frames about one host keep their order, by any of its names", async () => {
  const listing = held({ host: "testhost", show_threads: false, show_env: false, filter: "", time: "", columns: [], rows: [] });
  rig.control.features.tasks.list = listing.begin;
  client.send({ type: "request_process_list", host: "localhost", request_id: "one" });
  client.send({ type: "request_process_list", host: "testhost", request_id: "two" });
  await handled(client);
  expect(listing.begun).toBe(1);
  listing.end(0);
  expect(await client.nextOf("process_list")).toMatchObject({ request_id: "one" });
  await handled(client);
  listing.end(1);
  expect(await client.nextOf("process_list")).toMatchObject({ request_id: "two" });
});

it("a list is given while another answer is slow", async () => {
  const loads = held({ loads: [], hosts: [] });
  rig.control.loads = loads.begin;
  client.send({ type: "request_process_loads", request_id: "slow" });
  await expectUnhindered(rig, client, [{ type: "request_process_list", host: "localhost" }]);
  loads.end();
  expect(await client.nextOf("process_loads")).toMatchObject({ request_id: "slow" });
});

it("while the manager is shutting down a list is requested, and no task is changed", async () => {
  rig.control.isShuttingDown = true;
  for (const type of Object.keys(taskListCommands) as (keyof typeof taskListCommands)[])
    await client.ask({ ...validFrames[type], host: "localhost" });
  expect(rig.control.calls.map(([name]) => name)).toEqual(["processList"]);
});

it("a refusal repeats which task was meant", () => {
  const refusal = { code: "not_found", message: "There is nothing of this name." } as const;
  expect(refusalFrame(validFrames.set_process_list_task, refusal)).toEqual({
    type: "process_list_task_set_result",
    ok: false,
    ...refusal,
    host: "rt1",
    pid: 4711,
    tid: 4712,
  });
});
